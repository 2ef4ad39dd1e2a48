import type { Language } from '../language.ts'

/** Makes a function that recognizes values which JSON represents whole. Runs inside the isolate as text. */
export function makeIsPlain(language: Language) {
  const { create, isArray, isFinite, values, getPrototypeOf, objectPrototype, arrayPrototype } = language
  const maxDepth = 1_000
  // Without a limit, a cycle could have no end.
  const maxValues = 1_000_000
  // The types whose values are plain. `isPlainItem` decides which numbers are finite.
  const leaves = create(null) as Record<string, true | undefined>
  leaves.string = true
  leaves.boolean = true
  leaves.undefined = true
  const finiteLeaves = create(leaves) as typeof leaves
  leaves.number = true
  finiteLeaves.number = undefined
  let valuesLeft = 0

  // Asks for `toJSON`, because the values of an object with a hidden one, and the items of an array, do not include it.
  const itemsOf = (value: object): readonly unknown[] | null => {
    if ((value as Record<string, unknown>).toJSON !== undefined) return null
    const prototype = getPrototypeOf(value)
    if (prototype === objectPrototype) return values(value)
    return prototype === arrayPrototype && isArray(value) ? value : null
  }
  const isPlainObject = (value: object, depth: number, leaf: typeof leaves): boolean => {
    const items = depth > maxDepth ? null : itemsOf(value)
    if (items === null) return false
    const { length } = items
    valuesLeft -= length
    if (valuesLeft < 0) return false
    for (let i = 0; i < length; i++) {
      const item = items[i]
      if (leaf[typeof item] !== true && !isPlainItem(item, depth, leaf)) return false
    }
    return true
  }
  const isPlainItem = (item: unknown, depth: number, leaf: typeof leaves): boolean => {
    if (typeof item === 'object') return item === null || isPlainObject(item, depth + 1, leaf)
    return leaf === finiteLeaves && isFinite(item)
  }

  return {
    /** Maximum depth of what is serialized. */
    maxDepth,
    /**
     * Returns true for an object or array in which there are only such, texts, finite numbers, booleans, null and
     * undefined, and no `toJSON`. Then `JSON.stringify` drops and replaces nothing. Returns false for another value,
     * and for one with very many values.
     */
    isPlain(root: unknown, mustBeFinite: boolean): boolean {
      if (typeof root !== 'object' || root === null) return false
      valuesLeft = maxValues
      return isPlainObject(root, 1, mustBeFinite ? finiteLeaves : leaves)
    },
  }
}
