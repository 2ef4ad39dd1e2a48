import { createHash } from 'node:crypto'
import type { NewVersion, StoredFunction } from '../../../src/domain/functions/function-store.ts'
import type { Origin } from '../../../src/domain/port.ts'
import type { Store } from '../../../src/domain/store.ts'
import { by } from '../databases/origin.ts'

export const functionLimits = { functions: 1_000, versions: 100 }

/** A version as the gateway stores it, of the function `recalculate` unless `rest` names another. */
export function versionOf(sourceCode: string, rest: Partial<NewVersion> = {}): NewVersion {
  const hash = createHash('sha256').update(sourceCode).digest('hex')
  const sourceBytes = Buffer.byteLength(JSON.stringify(sourceCode))
  const fixed = { hash, sourceCode, sourceBytes, comment: null }
  return { name: 'recalculate', caseTypeCode: null, makeLive: true, ...fixed, ...rest }
}

/** Saves a function by itself, and gives it back. */
export async function saveFunction(
  { functions }: Pick<Store, 'functions'>,
  version: NewVersion,
  origin: Origin = by('a'),
  limits = functionLimits,
): Promise<StoredFunction> {
  return (await functions.save(origin, version, limits)).function
}
