import type { RunHookEvent, RunOutcome, RunState, RunTrigger } from '../../../domain/runs/run-record.ts'
import type { KeptRun, RunStore } from '../../../domain/runs/run-store.ts'
import { readStored } from '../../../json/read-stored.ts'
import type { Database } from '../../database.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import type { RowOf } from '../../tables/tables-of.ts'
import type { Parts } from '../entities.ts'
import { createFindRuns } from './find-runs.ts'
import { createLookAtRuns } from './look-at-runs.ts'
import { selectRun } from './run-statements.ts'
import { createSweeping } from './sweep-runs.ts'

export function createRunStore(
  database: Database,
  { writeRuns, stored }: Pick<Parts, 'writeRuns' | 'stored'>,
): RunStore {
  const { write, tables, isShared } = database
  const selection = selectRun(database)
  const page = createPageByParent(database, { table: tables.runs, parent: 'functionId', selection })
  const casePage = createPageByParent(database, { table: tables.runs, parent: 'caseId', selection })
  const attempts = createPageByParent(database, { table: tables.runs, parent: 'queuedRunId', selection })
  return {
    isShared,
    ...createFindRuns(database),
    look: createLookAtRuns(database),
    ...createSweeping(database, stored),
    write: (accountCode, gateway, writes) =>
      write(accountCode, () => writeRuns(accountCode, gateway, writes)),
    pageByFunctions: async (accountCode, functionIds, given) =>
      (await page(accountCode, functionIds, given)).map(toRun),
    pageByCases: async (accountCode, caseIds, given) =>
      (await casePage(accountCode, caseIds, given)).map(toRun),
    pageByQueuedRuns: async (accountCode, queuedRunIds, given) =>
      (await attempts(accountCode, queuedRunIds, given)).map(toRun),
  }
}

/**
 * A row of `selectRun` as a run. A value that cannot be read throws when it is used, so that other runs stay readable.
 */
export function toRun({ duration, ...row }: RowOf<ReturnType<typeof selectRun>>): KeptRun {
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
      return readStored<KeptRun['textBytes']>(row.textBytes, placeOf('text_bytes'))
    },
  }
}
