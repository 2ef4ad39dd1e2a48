/**
 * Takes from the realm what a script has no use for and an attack has. `console`, and `Temporal` where a script names it, stand on the
 * global object's prototype: no own keys of the global. Runs inside the isolate as text.
 */
export function makeReduceGlobals(console: object, prepareStackTrace: unknown) {
  const globals = globalThis as unknown as Record<string, unknown>
  const { create, defineProperty, getPrototypeOf, setPrototypeOf } = Object
  const parent = create(getPrototypeOf(globalThis))
  const stand = (name: string, value: unknown) =>
    defineProperty(parent, name, { value, writable: true, configurable: true })
  const unwanted = [
    'console',
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    'WeakRef',
    'FinalizationRegistry',
  ]

  return {
    /** Not in the snapshot: V8 puts some of them back, and takes longer for changed globals than it takes to change them. */
    reduce(): void {
      stand('console', console)
      setPrototypeOf(globalThis, parent)
      defineProperty(Error, 'prepareStackTrace', {
        value: prepareStackTrace,
        writable: false,
        configurable: false,
      })
      for (let i = 0; i < unwanted.length; i++) delete globals[unwanted[i] as string]
    },
    /** V8 makes it when it is first looked at, for a tenth of what a run costs: only for a script that names it. */
    placeTemporal(isNamed: boolean): void {
      const value = isNamed ? globals.Temporal : undefined
      delete globals.Temporal
      if (value !== undefined) stand('Temporal', value)
    },
  }
}
