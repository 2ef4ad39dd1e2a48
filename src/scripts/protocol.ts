// The messages between gateway and sandbox, in the one file that both share. Each message is one line of JSON: to the
// sandbox over its standard input, to the gateway over the sandbox's standard output. The sandbox writes synchronously,
// or keeps the line in a pipe of the kernel until it does, so that a log survives a crash. Node's own IPC would
// not do: it has no limit on message size, and a malformed message is an uncaught exception in the parent.
//
// The document of a run, the answer to a call and the value of `exit` are long. Each follows its message on the same
// line, unchanged: to escape it as a string inside the JSON of the message would take longer than to write it. Only a
// text that UTF-8 cannot carry is sent as such a string.

import type { RunLimits } from '../config.ts'
import type { LogLevel, RunError, RunErrorCode } from '../domain/scripts/run.ts'
import type { PlatformMethod } from './launch/platform-methods.ts'

export type { RunLimits } from '../config.ts'
export type { Label } from '../operations/executions.ts'
export type { Member } from '../operations/operation.ts'
export type { InputMember, PlatformMethod } from './launch/platform-methods.ts'

/** The settings of a sandbox. They are the child's only argument. */
export interface SandboxSetup {
  readonly limits: RunLimits
  readonly isolation: 'run' | 'account'
  /** The methods of the `Platform` object. */
  readonly platform: readonly PlatformMethod[]
}

export interface RunMessage {
  readonly type: 'run'
  readonly run: string
  readonly accountCode: string
  readonly source: string
  /** If true, the source is compiled and not run. The run then ends with `exit(null)` or an error. */
  readonly compilesOnly: boolean
  /**
   * True if the value of `exit` is case data, in which infinite numbers and NaN are errors. Otherwise JSON turns them
   * into null.
   */
  readonly exitsData: boolean
  /** The texts of the run, as JSON. They are parsed only inside the isolate. */
  readonly payload: string
  readonly options: string
  readonly requestContext: string
  /** Time in ms until the run's deadline. */
  readonly timeoutMs: number
  /**
   * True if the gateway saves the value of `exit` next, and no other run waits for a sandbox. The process then pauses
   * before it recovers, so that the gateway gets a processor first.
   */
  readonly pausesAfterwards: boolean
}

/** The answer to a `graphql()` call: a JSON text, or the message of its rejection. */
export interface AnswerMessage {
  readonly type: 'answer'
  readonly run: string
  readonly call: number
  readonly ok: boolean
  readonly text: string
  /** The code of a rejection, as in GraphQL errors. */
  readonly code?: string
}

export type ToSandbox = RunMessage | AnswerMessage

/**
 * Says that the process has booted, or has recovered from its last run. The next run may be sent before that, after
 * `end`: it begins once the process has recovered.
 */
export interface ReadyMessage {
  readonly type: 'ready'
}

/** Says that the script is about to run. A process that ends without sending this has run nothing of the script. */
export interface BegunMessage {
  readonly type: 'begun'
  readonly run: string
}

export interface LogMessage {
  readonly type: 'log'
  readonly run: string
  /** When the script wrote it, in milliseconds since 1970; absent if it was sent at once. */
  readonly at?: number | undefined
  readonly level: LogLevel
  /** The arguments of the call, as the JSON text of an array. */
  readonly data: string
}

export interface GraphqlMessage {
  readonly type: 'graphql'
  readonly run: string
  /** The number of the call in its run, from 1. */
  readonly call: number
  readonly query: string
  /** The variables, as the JSON text of an object or null. */
  readonly variables: string
  readonly url: string | null
}

/** The number of log entries dropped so far, and of their characters. */
export interface CutMessage {
  readonly type: 'cut'
  readonly run: string
  readonly entries: number
  readonly characters: number
  /** False if the count may still grow. */
  readonly isFinal: boolean
}

export interface EndMessage {
  readonly type: 'end'
  readonly run: string
  readonly ending: Ending
}

/** A message that may wait for those that follow it (`sandbox/channel.ts`). */
export type HeldMessage = ReadyMessage | BegunMessage | LogMessage | CutMessage

export type FromSandbox = HeldMessage | GraphqlMessage | EndMessage

/** How a script ended. The first cause wins: exit, fail and error exclude each other. */
export type Ending =
  | { readonly kind: 'exit'; readonly payload: string }
  | { readonly kind: 'fail'; readonly message: string }
  | { readonly kind: 'error'; readonly error: ScriptError }

/** An error that ends a run. Only the gateway reports `CRASHED`. */
export interface ScriptError extends RunError {
  readonly code: Exclude<RunErrorCode, 'CRASHED'>
}

/** Creates an error that has no position in the script. */
export function withoutPosition(code: ScriptError['code'], message: string): ScriptError {
  return { code, message, line: null, column: null, stack: null }
}

// The errors of limits that the sandbox enforces. The gateway enforces them too, in case a sandbox does not.

export const outOfMemory = withoutPosition('MEMORY', 'The run used more memory than allowed')

export function outOfTime(timeoutMs: number): ScriptError {
  return withoutPosition('TIMEOUT', `The run did not end within its ${timeoutMs} ms`)
}

/** The error of a result or message over `resultBytes`. `what` names which of the two it is. */
export function tooLarge(what: 'result' | 'message', resultBytes: number): ScriptError {
  return withoutPosition('LIMIT', `The ${what} has more than the ${resultBytes} bytes allowed`)
}

/**
 * Maximum levels of a JSON text from a sandbox. The realm allows 1,000. Deeper texts could be parsed but not serialized
 * again.
 */
export const maxDepth = 1_100

/**
 * Returns the maximum bytes of a line from a sandbox. A control character in its longest text takes six bytes as JSON.
 */
export function maxFrameBytes({ resultBytes, logBytes, graphqlCallBytes }: RunLimits): number {
  return 6 * Math.max(resultBytes, logBytes, graphqlCallBytes) + 64 * 1024
}

/**
 * Returns the maximum bytes that a sandbox may leave unread: the texts of a run and the answers to its concurrent
 * calls.
 */
export function maxUnreadBytesOf(limits: RunLimits): number {
  return 4 * limits.graphqlCallBytes + 2 * limits.graphqlAnswerBytes * limits.graphqlCallsAtOnce
}

// JSON cannot contain this character.
const separator = '\u001e'

/** Writes a message as a line, without the character that ends it. */
export function toLine(message: ToSandbox | FromSandbox): string {
  const text = textOf(message)
  // The JSON of the message escapes half of a surrogate pair, which is the character that UTF-8 cannot carry.
  if (text?.isWellFormed() !== true) return JSON.stringify(message)
  // A line feed in JSON is white space between two values.
  return `${JSON.stringify(withText(message, ''))}${separator}${text.replaceAll('\n', ' ')}`
}

/** Reads a line, and checks nothing of its message. Throws if it is not JSON. */
export function readLine(line: string): unknown {
  const end = line.indexOf(separator)
  if (end < 0) return JSON.parse(line)
  return withText(JSON.parse(line.slice(0, end)), line.slice(end + 1))
}

function textOf(message: ToSandbox | FromSandbox): string | null {
  if (message.type === 'run') return message.payload
  if (message.type === 'answer') return message.ok ? message.text : null
  return message.type === 'end' && message.ending.kind === 'exit' ? message.ending.payload : null
}

function withText(message: ToSandbox | FromSandbox, text: string): object {
  if (message.type === 'run') return { ...message, payload: text }
  return message.type === 'end'
    ? { ...message, ending: { ...message.ending, payload: text } }
    : { ...message, text }
}
