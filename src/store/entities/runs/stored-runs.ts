import type { RunStore } from '../../../domain/runs/run-store.ts'
import type { Database } from '../../database.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import type { Parts } from '../parts.ts'
import { createSweeping } from './delete-runs.ts'
import { createFindRuns } from './find-runs.ts'
import { createLookAtRuns } from './look-at-runs.ts'
import { toRun } from './read-run.ts'
import { selectRun } from './run-statements.ts'

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
