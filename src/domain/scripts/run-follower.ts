import type { LogEntry, Run } from './run.ts'

/** A `graphql()` call of a run that has begun. */
export interface BegunCall {
  /** The number of the call in its run, from 1. */
  readonly id: number
  /** Its first root field, or the other host with its port. */
  readonly name: string
  readonly at: Date
}

export interface EndedCall extends BegunCall {
  readonly durationMs: number
  /** Why it rejected, or the first error of its answer; null without one. */
  readonly error: string | null
  /** The first run that it started; null without one. */
  readonly runId: string | null
}

/** Follows runs while they go on. */
export interface RunFollower {
  /** A sandbox has begun the run, so that it is no longer refused. */
  onBegun?(run: Run): void
  /** The run has an outcome, also if no sandbox could begin it. Not called for a run that was refused. */
  onEnded?(run: Run): void
  /** An entry that stays in the log, whatever follows. */
  onLog?(entry: LogEntry): void
  onCallBegun?(call: BegunCall): void
  /** Not called for a call that is under way when its run ends. */
  onCallEnded?(call: EndedCall): void
}
