import type { RunStore } from '../../../domain/runs/run-store.ts'
import type { Database } from '../../database.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import type { Parts } from '../parts.ts'
import { createSweeping } from './delete-runs.ts'
import { createFindRuns } from './find-runs.ts'
import { createLookAtRuns } from './look-at-runs.ts'
import { selectRun } from './run-statements.ts'

export function createRunStore(
  database: Database,
  { writeRuns, stored }: Pick<Parts, 'writeRuns' | 'stored'>,
): RunStore {
  const { write, tables, isShared } = database
  const selection = selectRun(database)
  return {
    isShared,
    ...createFindRuns(database),
    look: createLookAtRuns(database),
    ...createSweeping(database, stored),
    write: (accountCode, gateway, writes) =>
      write(accountCode, () => writeRuns(accountCode, gateway, writes)),
    pageByFunctions: createPageByParent(database, { table: tables.runs, parent: 'functionId', selection }),
    pageByCases: createPageByParent(database, { table: tables.runs, parent: 'caseId', selection }),
    pageByQueuedRuns: createPageByParent(database, { table: tables.runs, parent: 'queuedRunId', selection }),
  }
}
