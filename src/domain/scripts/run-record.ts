import type { Execution, KeptCall } from './run.ts'
import type { RunCause } from './run-cause.ts'

export type RunState = 'running' | 'ended' | 'lost' | 'superseded'
export type RunOutcome = Execution['outcome']

/** The facts about a run that are known when it begins. */
export interface RunStart {
  /** A GUID. */
  readonly runId: string
  readonly accountCode: string
  readonly cause: RunCause
  readonly name: string
  readonly txnId: string
  readonly txnSource: string
  readonly parentRunId: string | null
  readonly byUserId: number | null
  readonly scopes: readonly string[]
  /** The start, in milliseconds since 1970. */
  readonly startedAt: number
  /** The input document, as JSON. */
  readonly input: string
  /** Returns the options as the script sees them, as JSON, but without the token of the run. */
  readonly writeOptions: () => string
  /** The source that came with the request; null for the version of a function. */
  readonly sourceCode: string | null
  /** Approximate bytes of the input and the options in memory. */
  readonly bytes: number
}

/** The facts about a run that are known when it ends. */
export interface RunEnd extends Omit<Execution, 'id' | 'name' | 'requestContext'> {
  /** The first calls, in the order of their begin. */
  readonly calls: readonly KeptCall[]
}

/** Records runs. The answers of runs do not wait for it. */
export interface RunRecorder {
  /** Records the beginning of a run. Call it when its sandbox has begun it: until then, it can be refused. */
  begin(start: RunStart): RunRecording
}

export interface RunRecording {
  end(end: RunEnd): void
  endWithoutResult(): void
}

/** Records nothing, for a gateway that keeps no runs. Those that are written before their end are deleted soon. */
export const noRecorder: RunRecorder = { begin: () => ({ end: () => {}, endWithoutResult: () => {} }) }
