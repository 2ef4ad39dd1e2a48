import type { RunEnd, RunRecorder, RunRecording, RunStart } from '../scripts/run-record.ts'
import type { RunWrites } from './run-store.ts'
import { type RowToWrite, toWrites } from './run-writes.ts'

/** A run that has ended. It is not written until its save is decided. */
export interface DeferredRun {
  readonly runId: string
  /** For the commit. */
  prepare(): Promise<RowToWrite>
  /** Call it after the commit that wrote the run. */
  markWritten(): void
  /** Marks the run as superseded, because its attempt is made again. */
  supersede(): void
  /** Marks the run as lost, because its end counts for nothing. */
  lose(): void
  /** Writes the run outside a commit. */
  keep(): void
  /** After `keep`: resolves when the store has the run, or does not answer. */
  whenKept(): Promise<void>
}

/** A recording whose run can be deferred until its save is decided. */
export interface DeferrableRecording extends RunRecording {
  defer(end: RunEnd): DeferredRun
}

/** Runs for the commit of a save. */
export interface CommittedRuns extends RunWrites {
  readonly gateway: string
}

/** The runs that decide a save. They are written in its commit, or like other runs if there is none. */
export interface DeferredRuns extends RunRecorder {
  /** Ids of the runs of the last attempt. */
  readonly runIds: readonly string[]
  /** For the commit; null if there are none. */
  prepare(): Promise<CommittedRuns | null>
  /** Call it after the commit that wrote the runs. */
  markWritten(): void
  /** Marks the runs so far as superseded, because the save is tried again. */
  supersede(): void
  /** Marks the runs that no commit has written as lost, because their ends count for nothing. */
  lose(): void
  /** Writes the runs that no commit has written. */
  keep(): void
  /** After `keep`: resolves when the store has the runs, or does not answer. */
  whenKept(): Promise<void>
}

interface Dependencies {
  begin(start: RunStart): DeferrableRecording
  readonly gateway: string
}

export function createDeferredRuns({ begin, gateway }: Dependencies): DeferredRuns {
  let runIds: string[] = []
  const deferred: DeferredRun[] = []
  const kept: DeferredRun[] = []
  return {
    get runIds() {
      return runIds
    },
    begin(start) {
      const recording = begin(start)
      return {
        end(end) {
          runIds.push(start.runId)
          deferred.push(recording.defer(end))
        },
        endWithoutResult: () => recording.endWithoutResult(),
      }
    },
    async prepare() {
      if (deferred.length === 0) return null
      return { gateway, ...toWrites(await Promise.all(deferred.map(run => run.prepare()))) }
    },
    markWritten() {
      for (const run of deferred.splice(0)) run.markWritten()
    },
    supersede() {
      runIds = []
      for (const run of deferred) run.supersede()
    },
    lose() {
      for (const run of deferred) run.lose()
    },
    keep() {
      for (const run of deferred.splice(0)) {
        run.keep()
        kept.push(run)
      }
    },
    async whenKept() {
      await Promise.all(kept.map(run => run.whenKept()))
    },
  }
}

/** Joins the run of a task, which belongs to all attempts, and the runs of the hooks for its result. */
export function deferAfter(task: DeferredRuns, ofHooks: DeferredRuns): DeferredRuns {
  const both = [task, ofHooks]
  return {
    get runIds() {
      return both.flatMap(({ runIds }) => runIds)
    },
    begin: ofHooks.begin,
    async prepare() {
      const [first, second] = await Promise.all([task.prepare(), ofHooks.prepare()])
      if (first === null || second === null) return first ?? second
      const inserts = [...first.inserts, ...second.inserts]
      return { gateway: first.gateway, inserts, ends: [...first.ends, ...second.ends] }
    },
    markWritten() {
      for (const runs of both) runs.markWritten()
    },
    supersede: ofHooks.supersede,
    lose: ofHooks.lose,
    keep: ofHooks.keep,
    async whenKept() {
      for (const runs of both) await runs.whenKept()
    },
  }
}
