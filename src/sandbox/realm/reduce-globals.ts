/**
 * Removes the globals that help only attacks. `console`, and `Temporal` for a script that names it, are defined on the
 * global object's prototype, so that they are not its own keys. Runs inside the isolate as text.
 */
export function makeReduceGlobals(console: object, prepareStackTrace: unknown) {
  const globals = globalThis as unknown as Record<string, unknown>
  const { create, defineProperty, getPrototypeOf, setPrototypeOf } = Object
  const parent = create(getPrototypeOf(globalThis))
  const inherit = (name: string, value: unknown) =>
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
    /**
     * Called for each realm and not in the snapshot, because V8 restores some globals and loads changed ones slowly.
     */
    reduce(): void {
      inherit('console', console)
      setPrototypeOf(globalThis, parent)
      defineProperty(Error, 'prepareStackTrace', {
        value: prepareStackTrace,
        writable: false,
        configurable: false,
      })
      for (let i = 0; i < unwanted.length; i++) delete globals[unwanted[i] as string]
    },
    /** Only for a script that names `Temporal`: V8 creates it on first use, which takes a tenth of a run. */
    provideTemporal(isNamed: boolean): void {
      const value = isNamed ? globals.Temporal : undefined
      delete globals.Temporal
      if (value !== undefined) inherit('Temporal', value)
    },
  }
}
