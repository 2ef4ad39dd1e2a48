import type { RunHookEvent, RunOutcome, RunState, RunTrigger } from '../../../domain/runs/run-record.ts'
import type { KeptRun, RunStore } from '../../../domain/runs/run-store.ts'
import type { Database } from '../../database.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import type { RowOf } from '../../tables/tables-of.ts'
import type { Parts } from '../entities.ts'
import { createFindRuns } from './find-runs.ts'
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
  return {
    isShared,
    ...createFindRuns(database),
    ...createSweeping(database, stored),
    write: (accountCode, gateway, writes) =>
      write(accountCode, () => writeRuns(accountCode, gateway, writes)),
    pageByFunctions: async (accountCode, functionIds, given) =>
      (await page(accountCode, functionIds, given)).map(toRun),
    pageByCases: async (accountCode, caseIds, given) =>
      (await casePage(accountCode, caseIds, given)).map(toRun),
  }
}

/** A row of `selectRun` as a run. */
export function toRun({ duration, ...row }: RowOf<ReturnType<typeof selectRun>>): KeptRun {
  return {
    ...row,
    trigger: row.trigger as RunTrigger,
    event: row.event as RunHookEvent | null,
    state: row.state as RunState,
    outcome: row.outcome as RunOutcome | null,
    name: JSON.parse(row.name),
    txnSource: JSON.parse(row.txnSource),
    scopes: row.scopes === '' ? [] : row.scopes.split(' '),
    durationMs: duration === null ? null : duration / 10,
    dryRun: row.dryRun === 1,
    textBytes: JSON.parse(row.textBytes),
  }
}
