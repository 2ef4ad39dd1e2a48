import type { KeptRecording } from './keep-runs.ts'
import type { RunRecorder, RunStart } from './run-record.ts'
import type { RunRow, RunWrites } from './run-store.ts'

/** A run that has ended, and that nothing writes until its save is decided. */
export interface HeldRun {
  readonly runId: string
  /** For the commit: its row, and whether the store has it as running. */
  prepare(): Promise<{ readonly row: RunRow; readonly isInserted: boolean }>
  /** The commit has written it. */
  settle(): void
  /** It is written like other runs. */
  keep(state: 'ended' | 'superseded'): void
}

/** Runs for the commit of a save. */
export interface CommittedRuns extends RunWrites {
  readonly gateway: string
}

/** The runs that decide one attempt at a save. Each is written in its commit, or kept like other runs. */
export interface HeldRuns extends RunRecorder {
  readonly runIds: readonly string[]
  prepare(): Promise<CommittedRuns>
  /** The commit has written them. */
  settle(): void
  /** Keeps those that no commit has written. */
  keep(state: 'ended' | 'superseded'): void
  /** Resolves when the store has them, unless it does not answer. */
  whenKept(): Promise<void>
}

interface Dependencies {
  begin(start: RunStart): KeptRecording
  flush(): Promise<void>
  readonly gateway: string
}

export function createHeldRuns({ begin, flush, gateway }: Dependencies): HeldRuns {
  const runIds: string[] = []
  const held: HeldRun[] = []
  let isSettled = false
  return {
    runIds,
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
      const rows = await Promise.all(held.map(run => run.prepare()))
      const rowsOf = (isInserted: boolean) =>
        rows.filter(run => run.isInserted === isInserted).map(({ row }) => row)
      return { gateway, inserts: rowsOf(false), ends: rowsOf(true) }
    },
    settle() {
      isSettled = true
      for (const run of held.splice(0)) run.settle()
    },
    keep(state) {
      for (const run of held.splice(0)) run.keep(state)
    },
    whenKept: async () => {
      if (!isSettled && runIds.length > 0) await flush()
    },
  }
}
