import type { CaseCommit } from '../../../src/domain/cases/case-store.ts'
import { by } from '../databases/origin.ts'

/** A commit that creates an empty case of the type `incident`, unless `given` says otherwise. */
export function caseCommit(given: Partial<CaseCommit> = {}): CaseCommit {
  return {
    origin: by('a'),
    caseTypeCode: 'incident',
    read: null,
    revision: 0,
    data: '{}',
    values: null,
    changedFields: '{}',
    functionName: null,
    runs: null,
    runIds: [],
    after: null,
    previousData: null,
    leaseHolder: 'me',
    ...given,
  }
}
