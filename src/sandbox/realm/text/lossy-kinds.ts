import type { Language } from '../language.ts'

/** Recognizes objects whose content `JSON.stringify` drops. Runs inside the isolate as text. */
export function makeLossyKinds({
  apply,
  create,
  getPrototypeOf,
  isArray,
  objectPrototype,
  uncurry,
}: Language) {
  const { getOwnPropertyDescriptor } = Object
  const isParentOf = uncurry(Object.prototype.isPrototypeOf) as (parent: object, value: object) => boolean
  const isView = ArrayBuffer.isView
  const typedArray = getPrototypeOf(Uint8Array.prototype)
  const getterOf = (prototype: object, key: PropertyKey) =>
    getOwnPropertyDescriptor(prototype, key)?.get as () => unknown
  const nameOfTypedArray = getterOf(typedArray, Symbol.toStringTag)
  const typedArrayLength = getterOf(typedArray, 'length')

  const names = ['Promise', 'Map', 'Set', 'WeakMap', 'WeakSet', 'ArrayBuffer']
  const parents = [Promise, Map, Set, WeakMap, WeakSet, ArrayBuffer].map(
    ({ prototype }) => prototype as object,
  )
  const sizes = create(null) as Record<string, (() => unknown) | undefined>
  sizes.Map = getterOf(Map.prototype, 'size')
  sizes.Set = getterOf(Set.prototype, 'size')
  sizes.ArrayBuffer = getterOf(ArrayBuffer.prototype, 'byteLength')
  const advice = create(null) as Record<string, string | undefined>
  advice.Promise = 'Await it first.'
  advice.Map = 'Use `Object.fromEntries(map)`.'
  advice.Set = 'Use `[...set]`.'

  const sizeOf = (kind: string, value: object): string => {
    const read = sizes[kind] ?? (isView(value) ? typedArrayLength : undefined)
    try {
      return read === undefined ? '' : ` ${apply(read, value, [])}`
    } catch {
      // The object only inherits from the class, or it is a DataView.
      return ''
    }
  }

  return {
    /** Returns the name of the class whose content JSON would drop, or '' for an object that JSON can represent. */
    kindOf(value: object): string {
      const prototype = getPrototypeOf(value)
      if (prototype === objectPrototype || prototype === null || isArray(value)) return ''
      for (let i = 0; i < names.length; i++)
        if (isParentOf(parents[i] as object, value)) return names[i] as string
      return isView(value) ? ((apply(nameOfTypedArray, value, []) as string | undefined) ?? 'DataView') : ''
    },
    /** Returns the class name for a message, such as `a Map`. */
    nameOf(kind: string): string {
      if (kind === 'Promise') return 'a promise'
      return `${kind[0] === 'A' || kind[0] === 'I' ? 'an' : 'a'} ${kind}`
    },
    /** Returns a sentence that says what to do instead, or ''. */
    adviceOf: (kind: string): string => advice[kind] ?? '',
    /** Returns the text that replaces the object in a log, such as `[Map 2]`. */
    markOf: (kind: string, value: object): string => `[${kind}${sizeOf(kind, value)}]`,
  }
}
