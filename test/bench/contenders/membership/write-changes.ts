import { isDeepStrictEqual } from 'node:util'

/** The fields that a save changes, each with its new and its old value, as JSON. */
export function writeChanges(next: object, previous: object): string {
  const before = new Map(Object.entries(previous))
  const changed = Object.entries(next).flatMap(([field, value]) =>
    isDeepStrictEqual(value, before.get(field)) ? [] : [[field, [value, before.get(field) ?? null]]],
  )
  return JSON.stringify(Object.fromEntries(changed))
}
