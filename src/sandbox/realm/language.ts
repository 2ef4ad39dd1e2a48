/**
 * Captures the built-in functions that the realm uses before any script runs, so that a script which changes `JSON`,
 * `Promise` or a prototype affects only itself. Runs inside the isolate as text, so it must be self-contained.
 */
export function captureLanguage() {
  const { call } = Function.prototype
  const bind = Function.prototype.bind
  // uncurry(f)(self, ...rest) is f.call(self, ...rest), even if a script changes `call`.
  const uncurry = bind.bind(call) as <This, Rest extends unknown[], Result>(
    method: (this: This, ...rest: Rest) => Result,
  ) => (self: This, ...rest: Rest) => Result
  // inherits(prototype)(value) is prototype.isPrototypeOf(value).
  const inherits = (prototype: object) =>
    uncurry(Object.prototype.isPrototypeOf).bind(null, prototype) as (value: unknown) => boolean
  const { apply } = Reflect
  const { defineProperty: define, freeze, keys } = Object
  return {
    apply,
    uncurry,
    define,
    freeze,
    /** Freezes functions that scripts get, and hides their source text from `toString`. */
    shield<Given extends object>(given: Given): Given {
      const functions = given as Record<string, unknown>
      for (const name of keys(functions)) {
        const bound = apply(bind, functions[name] as () => void, [undefined])
        define(bound, 'name', { value: name })
        functions[name] = freeze(bound)
      }
      return freeze(given)
    },
    keysOf: keys as (value: object) => string[],
    create: Object.create as (prototype: object | null) => Record<PropertyKey, unknown>,
    objectPrototype: Object.prototype,
    arrayPrototype: Array.prototype as object,
    getPrototypeOf: Object.getPrototypeOf as (value: object) => object,
    isFinite: Number.isFinite,
    objectToString: Object.prototype.toString,
    isArray: Array.isArray,
    parse: JSON.parse,
    stringify: JSON.stringify,
    String,
    Error,
    TypeError,
    Promise,
    AsyncFunction: (async () => {}).constructor as new (source: string) => () => Promise<unknown>,
    whenSettled: uncurry(Promise.prototype.then) as (
      promise: Promise<unknown>,
      onValue: (value: unknown) => unknown,
      onError: (error: unknown) => unknown,
    ) => unknown,
    isBoxedBigInt: inherits(BigInt.prototype),
    isBoxedNumber: inherits(Number.prototype),
    WeakMap,
    getFrom: uncurry(WeakMap.prototype.get),
    setIn: uncurry(WeakMap.prototype.set),
    isError: inherits(Error.prototype),
    slice: uncurry(String.prototype.slice) as (text: string, start: number, end?: number) => string,
    lowerCase: uncurry(String.prototype.toLowerCase) as (text: string) => string,
    lastIndexOf: uncurry(String.prototype.lastIndexOf) as (
      text: string,
      part: string,
      from?: number,
    ) => number,
    indexOf: uncurry(String.prototype.indexOf) as (text: string, part: string, from?: number) => number,
  }
}

/** What the realm captures, and `parseText`, which reads texts of others: `parse` reads those of the host alone. */
export type Language = ReturnType<typeof captureLanguage> & { readonly parseText: (text: string) => unknown }
