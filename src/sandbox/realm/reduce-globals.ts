/**
 * Removes the globals that only help attacks. `console`, and `Temporal` if a script names it, are defined on the
 * prototype of the global object, so that they are not its own keys. Runs inside the isolate as text.
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
     * Removes the globals. Call it for each realm, not in the snapshot, because V8 restores some globals and is slow to
     * load changed ones.
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
    /** Provides `Temporal` to a script that names it. V8 creates it on first use, which takes a tenth of a run. */
    provideTemporal(isNamed: boolean): void {
      const value = isNamed ? globals.Temporal : undefined
      delete globals.Temporal
      if (value !== undefined) inherit('Temporal', value)
    },
  }
}
