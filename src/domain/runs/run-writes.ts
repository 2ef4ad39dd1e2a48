import type { RunRow, RunWrites } from './run-store.ts'

/** Whether the store has the row of a run: `maybe` after a write whose answer was lost. */
export type InStore = 'no' | 'maybe' | 'yes'

export interface RowToWrite {
  readonly row: RunRow
  readonly inStore: InStore
}

/** Returns what the store must do so that it has these rows. */
export function toWrites(rows: readonly RowToWrite[]): RunWrites {
  const pick = (isMeant: (each: RowToWrite) => boolean) => rows.filter(isMeant).map(({ row }) => row)
  return {
    inserts: pick(({ inStore }) => inStore !== 'yes'),
    ends: pick(({ row, inStore }) => inStore !== 'no' && row.outcome !== null),
  }
}
