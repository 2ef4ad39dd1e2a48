/**
 * Takes from the realm what a script has no use for and an attack has. `console` and `Temporal` stand on the global object's
 * prototype: there for every script, and no own key of the global. Runs inside the isolate as text.
 */
export function reduceGlobals(console: object, prepareStackTrace: unknown): void {
  const globals = globalThis as unknown as Record<string, unknown>
  const parent = Object.create(Object.getPrototypeOf(globalThis))
  const stand = (name: string, value: unknown) =>
    Object.defineProperty(parent, name, { value, writable: true, configurable: true })
  stand('console', console)
  if (globals.Temporal !== undefined) stand('Temporal', globals.Temporal)
  for (const name of [
    'console',
    'Temporal',
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    'WeakRef',
    'FinalizationRegistry',
  ]) {
    delete globals[name]
  }
  Object.setPrototypeOf(globalThis, parent)
  Object.defineProperty(Error, 'prepareStackTrace', {
    value: prepareStackTrace,
    writable: false,
    configurable: false,
  })
}
