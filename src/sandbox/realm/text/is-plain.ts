import type { Language } from '../language.ts'

/** Makes a function that recognizes values which JSON represents whole. Runs inside the isolate as text. */
export function makeIsPlain(language: Language) {
  const { isArray, isFinite, getPrototypeOf, objectPrototype, arrayPrototype } = language
  const maxDepth = 1_000
  // A list may have billions of empty places, and an object may come again in many others.
  const maxValues = 1_000_000
  let valuesLeft = 0

  // The two loops handle the most frequent values themselves, because V8 interprets this text and each call costs more
  // than the rest. A number minus itself is 0 if it is finite.
  const areItemsPlain = (list: readonly unknown[], depth: number, mustBeFinite: boolean): boolean => {
    const { length } = list
    valuesLeft -= length
    if (valuesLeft < 0) return false
    for (let i = 0; i < length; i++) {
      const item = list[i]
      if (typeof item === 'string' || (typeof item === 'number' && item - item === 0)) continue
      if (!isPlainItem(item, depth, mustBeFinite)) return false
    }
    return true
  }
  // Takes inherited members too, because a loop over the own ones alone takes twice as long.
  const areMembersPlain = (value: object, depth: number, mustBeFinite: boolean): boolean => {
    let count = 0
    for (const key in value) {
      count++
      const item = (value as Record<string, unknown>)[key]
      if (typeof item === 'string' || (typeof item === 'number' && item - item === 0)) continue
      if (!isPlainItem(item, depth, mustBeFinite)) return false
    }
    valuesLeft -= count
    return true
  }
  // True if a script has given members to all objects. JSON has none of them, and the check must not read them.
  const areMembersInherited = (): boolean => {
    for (const _ in objectPrototype) return true
    return false
  }
  // Asks for `toJSON`, because the members of an object with a hidden one, and the items of an array, do not include
  // it.
  const isPlainObject = (value: object, depth: number, mustBeFinite: boolean): boolean => {
    if (valuesLeft < 0 || depth > maxDepth) return false
    if ((value as Record<string, unknown>).toJSON !== undefined) return false
    const prototype = getPrototypeOf(value)
    if (prototype === objectPrototype) return areMembersPlain(value, depth, mustBeFinite)
    return prototype === arrayPrototype && isArray(value) && areItemsPlain(value, depth, mustBeFinite)
  }
  const isPlainItem = (item: unknown, depth: number, mustBeFinite: boolean): boolean => {
    switch (typeof item) {
      case 'object':
        return item === null || isPlainObject(item, depth + 1, mustBeFinite)
      case 'number':
        return !mustBeFinite || isFinite(item)
      default:
        return typeof item === 'boolean' || item === undefined
    }
  }

  return {
    /** Maximum depth of what is serialized. */
    maxDepth,
    /**
     * Returns true for an object or array in which there are only such, texts, finite numbers, booleans, null and
     * undefined, and no `toJSON`. Then `JSON.stringify` drops and replaces nothing. Returns false for another value,
     * for one with very many values, and for every value once all objects inherit a member.
     */
    isPlain(root: unknown, mustBeFinite: boolean): boolean {
      if (typeof root !== 'object' || root === null || areMembersInherited()) return false
      valuesLeft = maxValues
      return isPlainObject(root, 1, mustBeFinite)
    },
  }
}
