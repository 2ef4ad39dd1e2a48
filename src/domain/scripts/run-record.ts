import type { Execution } from './run.ts'
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
  /** In milliseconds since 1970. */
  readonly startedAt: number
  /** The input document, as JSON. */
  readonly input: string
  /** Writes the options as the script sees them, as JSON, but for the token of the run. */
  readonly writeOptions: () => string
  /** Approximate bytes of both in memory. */
  readonly bytes: number
}

/** The facts about a run that are known when it ends. */
export type RunEnd = Omit<Execution, 'id' | 'name' | 'requestContext'>

/** Keeps runs without holding their answers. */
export interface RunRecorder {
  /** Call it when the run has its sandbox. */
  begin(start: RunStart): RunRecording
}

export interface RunRecording {
  end(end: RunEnd): void
  /** Drops a run that did not take place after all. */
  drop(): void
}

/** For a gateway that keeps no runs. */
export const noRecorder: RunRecorder = { begin: () => ({ end: () => {}, drop: () => {} }) }
