// The one file that gateway and sandbox share. One JSON text a line: gateway to sandbox over the child's standard
// input, sandbox to gateway over its standard output, which the child writes synchronously, so that what a script
// logged is in the kernel's hands before a crash can take it. (Node's own IPC has no cap on a message's size, and a
// malformed one is an uncaught exception in the parent.)

import type { RunLimits } from '../config.ts'
import type { PlatformMethod } from '../operations/operation.ts'
import type { LogLevel, TaskError, TaskErrorCode } from './run/task-execution.ts'

export type { RunLimits } from '../config.ts'
export type { InputMember, Label, Member, PlatformMethod } from '../operations/operation.ts'

/** How a sandbox is set up, the child's only argument. */
export interface SandboxSetup {
  readonly limits: RunLimits
  readonly isolation: 'run' | 'account'
  /** What `Platform` has. */
  readonly platform: readonly PlatformMethod[]
}

export interface RunMessage {
  readonly type: 'run'
  readonly run: string
  readonly accountCode: string
  readonly source: string
  /** JSON texts: parsed inside the isolate and nowhere before. */
  readonly payload: string
  readonly options: string
  readonly requestContext: string
  /** What is left until the run's deadline. */
  readonly timeoutMs: number
  /** Resident memory of the child past which the run ends. */
  readonly residentBytes: number
}

/** The answer to a `graphql()` call: a JSON text, or the message with which the call rejects. */
export interface AnswerMessage {
  readonly type: 'answer'
  readonly run: string
  readonly call: number
  readonly ok: boolean
  readonly text: string
}

export type ToSandbox = RunMessage | AnswerMessage

/** An isolate waits: send a run. */
export interface ReadyMessage {
  readonly type: 'ready'
}

/** Sent before the first line of the script runs: a process that ends without it has run nothing. */
export interface BegunMessage {
  readonly type: 'begun'
  readonly run: string
}

export interface LogMessage {
  readonly type: 'log'
  readonly run: string
  readonly level: LogLevel
  /** JSON text of an array: the arguments of the call. */
  readonly data: string
}

export interface GraphqlMessage {
  readonly type: 'graphql'
  readonly run: string
  /** Counts the calls of the run from 1. */
  readonly call: number
  readonly query: string
  /** JSON text of an object or null. */
  readonly variables: string
  readonly url: string | null
}

/** Log calls that found no room so far, and the characters they held. */
export interface CutMessage {
  readonly type: 'cut'
  readonly run: string
  readonly entries: number
  readonly characters: number
  /** False for a count on the way: more may have been cut since. */
  readonly isFinal: boolean
}

export interface EndMessage {
  readonly type: 'end'
  readonly run: string
  readonly ending: Ending
}

export type FromSandbox = ReadyMessage | BegunMessage | LogMessage | CutMessage | GraphqlMessage | EndMessage

/** How a script ended. First cause wins: exit, fail and error exclude each other. */
export type Ending =
  | { readonly kind: 'exit'; readonly payload: string }
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'error'; readonly error: ScriptError }

/** That it crashed is for the gateway to say. */
export interface ScriptError extends TaskError {
  readonly code: Exclude<TaskErrorCode, 'CRASHED'>
}

/** Bytes that one line from a sandbox has at most: each of its longest text may be a control character, six bytes as JSON. */
export function longestFrame({ resultBytes, logBytes, graphqlCallBytes }: RunLimits): number {
  return 6 * Math.max(resultBytes, logBytes, graphqlCallBytes) + 64 * 1024
}

/** Bytes that a sandbox may leave unread at most: a run's texts, and the answers to its calls at once, escaped. */
export function maxUnread(limits: RunLimits): number {
  return 4 * limits.graphqlCallBytes + 2 * limits.graphqlAnswerBytes * limits.graphqlCallsAtOnce
}
