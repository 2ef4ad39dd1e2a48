import type { StoredRun } from '../../../domain/runs/run-store.ts'
import type { RunHookEvent } from '../../../domain/scripts/run-cause.ts'
import type { RunOutcome, RunState } from '../../../domain/scripts/run-record.ts'
import type { RunTrigger } from '../../../domain/scripts/trigger-kinds.ts'
import { readStored } from '../../../json/read-stored.ts'
import type { RowOf } from '../../tables/tables-of.ts'
import type { selectRun } from './run-statements.ts'

/** A row of `selectRun` as a run. What cannot be read throws when it is asked for, and fails no other run. */
export function toRun({ duration, ...row }: RowOf<ReturnType<typeof selectRun>>): StoredRun {
  const placeOf = (column: string) => ({ table: 'runs', column, id: row.runId })
  return {
    ...row,
    trigger: row.trigger as RunTrigger,
    event: row.event as RunHookEvent | null,
    state: row.state as RunState,
    outcome: row.outcome as RunOutcome | null,
    get name() {
      return readStored<string>(row.name, placeOf('name'))
    },
    get txnSource() {
      return readStored<string>(row.txnSource, placeOf('txn_source'))
    },
    scopes: row.scopes === '' ? [] : row.scopes.split(' '),
    durationMs: duration === null ? null : duration / 10,
    dryRun: row.dryRun === 1,
    get textBytes() {
      return readStored<StoredRun['textBytes']>(row.textBytes, placeOf('text_bytes'))
    },
  }
}
