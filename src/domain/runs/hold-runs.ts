import type { RunEnd, RunOutcome, RunRecorder, RunRecording, RunStart } from './run-record.ts'
import type { RunRow, RunWrites } from './run-store.ts'

/** A run that has ended, and that nothing writes until its save is decided. */
export interface HeldRun {
  readonly runId: string
  /** For the commit: its row, and whether the store has it as running. */
  prepare(): Promise<{ readonly row: RunRow; readonly isInserted: boolean }>
  /** The commit has written it. */
  settle(): void
  /** The attempt that it decided is made again. */
  supersede(): void
  /** It is written like other runs. */
  keep(): void
  /** Resolves when the store has it after `keep`, unless the store does not answer. */
  whenKept(): Promise<void>
}

/** A recording whose run can be held until its save is decided. */
export interface KeptRecording extends RunRecording {
  hold(end: RunEnd): HeldRun
}

/** Runs for the commit of a save. */
export interface CommittedRuns extends RunWrites {
  readonly gateway: string
}

/** The runs that decide a save. They are written in its commit; without one they are kept like other runs. */
export interface HeldRuns extends RunRecorder {
  /** Of the last attempt. */
  readonly runIds: readonly string[]
  /** For the commit; null if there are none. */
  prepare(): Promise<CommittedRuns | null>
  /** The commit has written them. */
  settle(): void
  /** Begins another attempt. */
  supersede(): void
  /** Keeps those that no commit has written. */
  keep(): void
  /** Resolves when the store has those that `keep` keeps, unless it does not answer. */
  whenKept(): Promise<void>
}

interface Dependencies {
  begin(start: RunStart): KeptRecording
  readonly gateway: string
}

export function createHeldRuns({ begin, gateway }: Dependencies): HeldRuns {
  let runIds: string[] = []
  const held: HeldRun[] = []
  const kept: HeldRun[] = []
  return {
    get runIds() {
      return runIds
    },
    begin(start) {
      const recording = begin(start)
      return {
        end(end) {
          runIds.push(start.runId)
          held.push(recording.hold(end))
        },
        drop: () => recording.drop(),
      }
    },
    async prepare() {
      if (held.length === 0) return null
      const rows = await Promise.all(held.map(run => run.prepare()))
      const rowsOf = (isInserted: boolean) =>
        rows.filter(run => run.isInserted === isInserted).map(({ row }) => row)
      return { gateway, inserts: rowsOf(false), ends: rowsOf(true) }
    },
    settle() {
      for (const run of held.splice(0)) run.settle()
    },
    supersede() {
      runIds = []
      for (const run of held) run.supersede()
    },
    keep() {
      for (const run of held.splice(0)) {
        run.keep()
        kept.push(run)
      }
    },
    async whenKept() {
      await Promise.all(kept.map(run => run.whenKept()))
    },
  }
}

/** Runs a script and waits until the run of a failure is kept: its answer names the run. */
export async function keepFailure<Execution extends { readonly outcome: RunOutcome }>(
  runs: HeldRuns,
  execute: (recorder: RunRecorder) => Promise<Execution>,
): Promise<Execution> {
  const execution = await execute(runs).finally(() => runs.keep())
  if (execution.outcome !== 'exit') await runs.whenKept()
  return execution
}

/** The runs of hooks after the run of the task whose result they are for, which belongs to all attempts. */
export function holdAfter(task: HeldRuns, ofHooks: HeldRuns): HeldRuns {
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
    settle() {
      for (const runs of both) runs.settle()
    },
    supersede: ofHooks.supersede,
    keep: ofHooks.keep,
    async whenKept() {
      for (const runs of both) await runs.whenKept()
    },
  }
}
