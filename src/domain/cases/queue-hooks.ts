import { RostrumError } from '../../errors.ts'
import type { NewQueuedRun } from '../queue/queue-store.ts'
import { type Generation, maxGeneration } from '../scripts/run.ts'
import type { Case, CaseCommit } from './case-store.ts'
import { writeHookOptions } from './run-hooks.ts'

/** Throws `TOO_DEEP` if the runs that a change queues would pass the maximum generation. */
export function refuseTooDeep({ number, onTooDeep }: Generation): void {
  if (number < maxGeneration) return
  onTooDeep()
  throw new RostrumError(
    'TOO_DEEP',
    `At most ${maxGeneration} saves in a row can queue hooks after a save. This save would be one more.`,
  )
}

/** Returns the runs that a commit adds to the queue, with the committed data and version. */
export function toQueuedRuns(commit: CaseCommit, row: Pick<Case, 'id' | 'version'>): NewQueuedRun[] {
  const { origin, caseTypeCode, changedFields, after } = commit
  if (after === null) return []
  const { event, hooks, generation, causedBy } = after
  const { id, version } = row
  const shared = {
    trigger: 'hook',
    event,
    caseTypeCode,
    caseId: id,
    caseVersion: version,
    txnId: origin.transactionId,
    generation,
    causedBy,
    input: commit.data ?? commit.previousData ?? '{}',
    options: writeHookOptions(changedFields, { id, case_type_code: caseTypeCode, version }),
  } as const
  return hooks.map(({ id: triggerId, functionId, functionName: name, scopes }) => ({
    ...shared,
    triggerId,
    functionId,
    name,
    scopes,
  }))
}
