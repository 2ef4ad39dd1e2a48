import type { Case, CaseCommit } from '../../../domain/cases/case-store.ts'
import { toQueuedRuns } from '../../../domain/cases/queue-hooks.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import { measureStored, type SharedInput, shareInputs } from '../queue/queued-inputs.ts'

/** Stands for the id of a new case until the statement has given it one. */
export const longestCaseId = Number.MAX_SAFE_INTEGER

/** A change of a case with the runs that it queues. */
export interface PlannedChange {
  readonly wanted: CaseCommit
  /** The runs. Those of a new case hold `longestCaseId` for the id that it will have. */
  readonly queued: readonly SharedInput[]
  /** The bytes that it adds to those of the account: its event, the case and the queued runs. */
  readonly addedBytes: number
}

export function planChange(wanted: CaseCommit): PlannedChange {
  const queued = shareInputs(toQueuedRuns(wanted, toExpectedRow(wanted)))
  return { wanted, queued, addedBytes: findAddedBytes(wanted, queued) }
}

/** The runs that a change queues, with the id of the case, which is not known of a planned new one. */
export function findQueued(
  { wanted, queued }: PlannedChange,
  row: Pick<Case, 'id' | 'version'>,
): readonly SharedInput[] {
  return wanted.read === null ? shareInputs(toQueuedRuns(wanted, row)) : queued
}

/** Returns the stored bytes that the change adds: the bytes of its event, of the case and of the queued runs. */
export function findAddedBytes(
  { read, data, changedFields }: CaseCommit,
  queued: readonly SharedInput[],
): number {
  const before = read === null ? 0 : read.dataBytes + storedRowBytes
  const after = data === null ? 0 : Buffer.byteLength(data) + storedRowBytes
  const ofEvent = Buffer.byteLength(changedFields) + storedRowBytes
  return after - before + ofEvent + measureStored(queued)
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

// The row as it is known before the first write.
function toExpectedRow({ read, data }: CaseCommit): { readonly id: number; readonly version: number } {
  if (read === null) return { id: longestCaseId, version: 1 }
  return { id: read.id, version: data === null ? read.version : read.version + 1 }
}
