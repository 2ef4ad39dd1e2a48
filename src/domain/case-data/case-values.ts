import { hash } from 'node:crypto'
import type { JsonObject, JsonValue } from '../../json/read-json.ts'
import { isObject } from './case-data.ts'

/** The value of an indexed field, as a text. Equal values have equal texts. */
export interface CaseValue {
  readonly field: string
  readonly value: string
}

// Maximum length of an indexed text. An index row of PostgreSQL has at most 2,704 bytes.
const maxCharacters = 300

/** Returns the values of these fields, for look-ups. */
export function findValues(data: JsonObject, fields: readonly string[]): CaseValue[] {
  return fields.flatMap(field => {
    const value = Object.hasOwn(data, field) ? data[field] : undefined
    return value === undefined ? [] : [{ field, value: indexText(value) }]
  })
}

/** Returns the text of a value. Equal values have equal texts, whatever the order of their keys. */
export function indexText(value: JsonValue): string {
  const text = JSON.stringify(sortKeys(value))
  if (text.length <= maxCharacters) return text
  return `sha256:${hash('sha256', text)}`
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  const sorted: Record<string, JsonValue> = Object.create(null)
  for (const key of Object.keys(value).sort()) sorted[key] = sortKeys(value[key] as JsonValue)
  return sorted
}
