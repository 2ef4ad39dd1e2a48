import type { LongWork } from '../../fairness/long-work.ts'
import { parseText } from '../../json/parse-json.ts'
import type { JsonObject, JsonValue } from '../../json/read-json.ts'
import { isLong, isObject } from './case-data.ts'
import type { WrittenData } from './read-exit.ts'

/** A top-level field that changed. A value is undefined where the field is absent. */
export interface ChangedField {
  readonly field: string
  readonly value: JsonValue | undefined
  readonly previous: JsonValue | undefined
}

export interface StoredData {
  /** The data; null for a case that is being created. */
  readonly data: JsonObject | null
  /** The length of the data as JSON. */
  readonly length: number
}

const none: JsonObject = Object.freeze(Object.create(null))

/** Returns the fields that differ by deep equality, ignoring the order of keys. Pass null for a case without data. */
export function compareFields(next: JsonObject | null, previous: JsonObject | null): ChangedField[] {
  const [after, before] = [next ?? none, previous ?? none]
  const changed: ChangedField[] = []
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const value = Object.hasOwn(after, field) ? after[field] : undefined
    const was = Object.hasOwn(before, field) ? before[field] : undefined
    if (!areEqual(value, was)) changed.push({ field, value, previous: was })
  }
  return changed
}

/** Returns the changed fields and their JSON. Each step of a large change takes a turn of its own. */
export async function describeChange(
  next: WrittenData | null,
  stored: StoredData,
  work: LongWork,
): Promise<{ readonly changed: readonly ChangedField[]; readonly text: string }> {
  const length = Math.max(next?.text.length ?? 0, stored.length)
  if (isLong(length)) await work.step()
  const changed = compareFields(next?.data ?? null, stored.data)
  if (isLong(length)) await work.step()
  const text = writeChangedFields(changed)
  if (isLong(length)) await work.step()
  return { changed, text }
}

/** Returns the changes as JSON, `{field: [new, previous]}`, with null where a field is absent (contract, section 7). */
function writeChangedFields(changed: readonly ChangedField[]): string {
  const fields: Record<string, unknown> = Object.create(null)
  for (const { field, value, previous } of changed) fields[field] = [value ?? null, previous ?? null]
  return JSON.stringify(fields)
}

/** Reads the changed fields of an event. It cannot tell a null value from an absent field. */
export function readChangedFields(text: string): ChangedField[] {
  const fields = parseText(text) as Record<string, [JsonValue, JsonValue]>
  return Object.entries(fields).map(([field, [value, previous]]) => ({
    field,
    value: value ?? undefined,
    previous: previous ?? undefined,
  }))
}

function areEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => areEqual(item, b[index]))
  }
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(key => Object.hasOwn(b, key) && areEqual(a[key], b[key]))
}
