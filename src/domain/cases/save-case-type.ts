import { type FieldError, invalidInput, RostrumError } from '../../errors.ts'
import { countCharacters } from '../../json/count-characters.ts'
import type { JsonText } from '../../json/json-text.ts'
import { parseText } from '../../json/parse-json.ts'
import type { JsonObject } from '../../json/read-json.ts'
import { findValues } from '../case-data/case-values.ts'
import { checkCaseTypeCode } from '../name.ts'
import type { PlainOrigin } from '../port.ts'
import { describeUnstorable } from '../storable-text.ts'
import type { Case, CaseStore, CaseType, CaseTypeRevision } from './case-store.ts'

/** Maximum number of indexed fields of a case type. */
export const maxIndexedFields = 8
const maxCharacters = 200
// Maximum number of cases whose values one transaction writes, so that transactions stay short.
const rowsOfTransaction = 50

interface CaseTypeRequest extends Pick<CaseType, 'code' | 'indexedFields'> {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

export type SaveCaseType = (origin: PlainOrigin, request: CaseTypeRequest) => Promise<CaseType>

interface Dependencies {
  readonly store: CaseStore
  /** Resolves when it is the account's turn to use the event loop. */
  waitForTurn(accountCode: string): Promise<void>
}

/**
 * Creates the function that saves which fields look-ups may name. First, every save begins to write the values of the
 * new fields. Then the values of all stored cases are written, a few cases at a time. Only then may look-ups name the
 * fields. If the gateway dies or the client disconnects in between, look-ups name the same fields as before, and saving
 * the type again continues. Rejects with `CONFLICT` if the type changes meanwhile.
 */
export function createSaveCaseType({ store, waitForTurn }: Dependencies): SaveCaseType {
  return async (origin, { code, indexedFields: given, signal }) => {
    checkCaseTypeCode(code, '/code')
    const fields = checkFields(given)
    const earlier = await store.findSavedType(origin)
    if (earlier !== null) return earlier
    const { accountCode } = origin
    const before = await store.findType(accountCode, code)
    const indexed = before?.indexedFields ?? []
    const written = before?.writtenFields ?? []
    const added = fields.filter(field => !indexed.includes(field))
    const dropped = written.filter(field => !fields.includes(field))
    const isKept = before !== null && added.length === 0 && dropped.length === 0
    if (isKept && indexed.length === fields.length) return before
    const kept = fields.filter(field => indexed.includes(field))
    const save = async (by: PlainOrigin, indexedFields: readonly string[], revision: number) => {
      const saved = await store.saveType(by, { code, indexedFields, writtenFields: fields, revision })
      if (saved === null) throw changedMeanwhile(code)
      return saved
    }
    // The last save makes the step.
    const begins = added.length === 0 ? origin : { accountCode, step: null }
    const begun = await save(begins, kept, before?.revision ?? 0)
    // Also deletes the values of added fields, which an earlier, interrupted save of the type may have left.
    const isDropped = await store.dropValues(accountCode, begun, [...dropped, ...added])
    if (!isDropped) throw changedMeanwhile(code)
    if (added.length === 0) return begun
    const takeTurn = async () => {
      await waitForTurn(accountCode)
      signal.throwIfAborted()
    }
    await writeStored({ store, accountCode, type: begun, fields: added, takeTurn })
    return save(origin, fields, begun.revision)
  }
}

interface WriteStored {
  readonly store: CaseStore
  readonly accountCode: string
  readonly type: CaseTypeRevision
  readonly fields: readonly string[]
  /** Called before the data of each step is parsed, which is up to 5 MiB. Rejects if the client has disconnected. */
  takeTurn(): Promise<void>
}

async function writeStored({ store, accountCode, type, fields, takeTurn }: WriteStored): Promise<void> {
  const search = { caseTypeCode: type.code, where: [] }
  for (let after: number | null = null; ; ) {
    const found: Case[] = await store.page(accountCode, search, {
      after,
      before: null,
      limit: rowsOfTransaction,
      fromEnd: false,
    })
    await takeTurn()
    // Skips cases whose data was not read, because a step reads a limited number of bytes.
    const read = found.filter(({ data }) => data !== null)
    const rows = read.map(({ id, version, data }) => ({
      id,
      version,
      values: findValues(readData(data), fields),
    }))
    if (!(await store.addValues(accountCode, type, rows))) throw changedMeanwhile(type.code)
    after = read.at(-1)?.id ?? null
    if (after === null || (found.length < rowsOfTransaction && read.length === found.length)) return
  }
}

// Returns the data. A case whose data cannot be read gets no values, so that it does not stop the other cases.
function readData(data: JsonText | null): JsonObject {
  try {
    return parseText(data?.text ?? '{}') as JsonObject
  } catch {
    return {}
  }
}

function checkFields(given: readonly string[]): readonly string[] {
  const fields = [...new Set(given)]
  const errors: FieldError[] = given.flatMap((field, index) => {
    const detail = describeBadField(field)
    return detail === null ? [] : { pointer: `/indexedFields/${index}`, detail }
  })
  if (fields.length > maxIndexedFields) {
    errors.push({
      pointer: '/indexedFields',
      detail: `can have at most ${maxIndexedFields} fields; it has ${fields.length}`,
    })
  }
  if (errors.length > 0) throw invalidInput(errors)
  return fields
}

function changedMeanwhile(code: string): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `The case type \`${code}\` was changed at the same time. Save it again.`,
    { reason: 'CHANGED' },
  )
}

function describeBadField(field: string): string | null {
  return countCharacters(field, maxCharacters) > maxCharacters
    ? `must have at most ${maxCharacters} characters`
    : describeUnstorable(field)
}
