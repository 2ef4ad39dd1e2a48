import type { StoredFunction } from '../../../domain/functions/function-store.ts'

export interface FunctionRow extends Pick<StoredFunction, 'id' | 'name' | 'liveVersionId'> {
  readonly caseTypeCode: string
  /** Undefined for a function that was removed. */
  readonly createdAt?: Date
}

export interface LockedFunction extends FunctionRow {
  readonly earlierLiveIds: readonly number[] | null
  readonly prunedToId: number
}

export function toFunction({
  id,
  name,
  caseTypeCode,
  liveVersionId,
  createdAt,
}: FunctionRow): StoredFunction {
  return { id, name, caseTypeCode: caseTypeCode || null, liveVersionId, createdAt: createdAt ?? null }
}

/** Returns the column for a case type, which is empty for a function of all case types. */
export function toTypeColumn(caseTypeCode: string | null): string {
  return caseTypeCode ?? ''
}
