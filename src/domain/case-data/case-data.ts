import { fieldTooLarge, invalidInput } from '../../errors.ts'
import { type GivenJson, type JsonObject, type JsonValue, readJson } from '../../json/read-json.ts'

/**
 * Limits of case data (contract, sections 7 and 9). `levels`: the data object is level 1. `fields` counts the top-level
 * fields.
 */
export const caseDataLimits = { bytes: 2 ** 20, levels: 64, fields: 10_000 } as const

const pointer = '/data'

// Maximum length of JSON that is processed without a turn of its own. Parsing 64 KiB of small values takes about 5 ms.
const maxShortLength = 2 ** 16

/** True if JSON of this length is too long to be read, compared or written without a turn of its own. */
export function isLong(length = 0): boolean {
  return length > maxShortLength
}

/** Reads the data of a save, or its merge patch. Throws `BAD_USER_INPUT` with a pointer below `/data`. */
export function readCaseData(given: GivenJson): JsonObject {
  const value = readJson(given, { pointer, maxLevels: caseDataLimits.levels })
  if (isObject(value)) return value
  throw invalidInput([{ pointer, detail: 'must be a JSON object' }])
}

/** Throws `BAD_USER_INPUT` for data with too many fields. A merge patch may have more, because null removes a field. */
export function refuseManyFields(data: JsonObject): void {
  const { length } = Object.keys(data)
  const { fields: max } = caseDataLimits
  if (length <= max) return
  throw invalidInput([{ pointer, detail: `can have at most ${max} fields; it has ${length}` }])
}

/** Returns the data as JSON. Throws `PAYLOAD_TOO_LARGE` past 1 MiB and `BAD_USER_INPUT` for too many fields. */
export function writeCaseData(data: JsonObject): string {
  refuseManyFields(data)
  const text = JSON.stringify(data)
  const { bytes: max } = caseDataLimits
  // A UTF-16 character takes at most three bytes, so most texts need not be measured.
  const bytes = text.length * 3 <= max ? 0 : Buffer.byteLength(text)
  if (bytes <= max) return text
  throw fieldTooLarge(pointer, `can have at most ${max} bytes of JSON; it has ${bytes}`)
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Applies a JSON Merge Patch (RFC 7396, section 2). Changes neither argument. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = Object.assign(Object.create(null), target)
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else if (isObject(value)) merged[key] = mergePatch(objectAt(merged, key), value)
    else merged[key] = value
  }
  return merged
}

function objectAt(target: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(target, key) ? target[key] : undefined
  return isObject(value) ? value : Object.create(null)
}
