// Plain JavaScript, unlike the rest: with V8's compilers off there is no WebAssembly, and Node's type stripper is made of
// it. So the gateway strips the types and sends the modules as the first line; this file takes them in. Before it runs
// them it locks up behind itself: they, and whoever may take this process over, get what a sandbox needs and no more.
import { readSync } from 'node:fs'
import { registerHooks } from 'node:module'

const standardInput = 0
const environment = new Set(['PATH', 'TZ', 'LANG'])
// Of the functions of `process`, those that Node itself and the sandbox call: no other can signal, load, look or set up.
const functions = new Set(
  `_fatalException _tickCallback cpuUsage cwd emitWarning exit getActiveResourcesInfo hrtime kill memoryUsage nextTick
   reallyExit ref resourceUsage unref uptime`.split(/\s+/),
)
const windows = new Set(['_preload_modules', 'mainModule', 'report'])
// Looked up without a call, as these are asked again when somebody may have changed the language's own functions.
const builtins = {
  __proto__: null,
  'node:crypto': true,
  'node:fs': true,
  'node:string_decoder': true,
  'node:timers/promises': true,
}

function readFirstLine() {
  const chunks = []
  const chunk = Buffer.allocUnsafe(65_536)
  // The gateway sends nothing behind this line before it has heard that the sandbox is ready.
  for (;;) {
    const size = readSync(standardInput, chunk)
    if (size === 0) throw new Error('The gateway was gone before the sandbox had its modules')
    chunks.push(Buffer.from(chunk.subarray(0, size)))
    if (chunk[size - 1] === 10) return Buffer.concat(chunks).toString('utf8')
  }
}

// The package's own object also loads any library of the system, and cannot be changed: the sandbox gets two of its parts.
async function addIsolatedVm(sources, url) {
  const { Callback, Isolate } = (await import(url)).default
  globalThis.isolatedVm = Object.freeze({ Callback, Isolate })
  sources['isolated-vm:'] = 'export default globalThis.isolatedVm'
}

function denied(what) {
  return Object.assign(new Error(`${what} is not for a sandbox`), { code: 'ERR_ACCESS_DENIED' })
}

function lockModules(sources) {
  registerHooks({
    resolve(specifier, context) {
      if (builtins[specifier] === true) return { url: specifier, shortCircuit: true }
      const absolute = specifier === 'isolated-vm' ? 'isolated-vm:' : specifier
      const url = `${URL.parse(absolute, context.parentURL)?.href}`
      if (sources[url] === undefined) throw denied(`The module ${specifier}`)
      return { url, shortCircuit: true }
    },
    load(url, context, next) {
      if (builtins[url] === true) return next(url, context)
      return { format: 'module', source: sources[url], shortCircuit: true }
    },
  })
}

// Node's permission model leaves signals alone: a sandbox could end its gateway and its siblings.
function keepSignalsToItself() {
  const { pid, _kill: sendSignal } = process
  process.kill = target => {
    if (target !== pid) throw denied('A signal to another process')
    sendSignal(pid, 9)
  }
}

function lockProcess() {
  keepSignalsToItself()
  for (const name of Object.getOwnPropertyNames(process)) {
    const { value } = Object.getOwnPropertyDescriptor(process, name)
    const isClosed = typeof value === 'function' ? !functions.has(name) : windows.has(name)
    if (isClosed) delete process[name]
  }
  for (const name of Object.keys(process.env)) if (!environment.has(name)) delete process.env[name]
  // What was read and loaded is in use; nothing more will be.
  for (const scope of ['addon', 'fs.read']) process.permission.drop(scope)
}

const { main, isolatedVm, gateway, ...rest } = JSON.parse(readFirstLine())
// What takes long comes after this line.
if (process.ppid !== gateway) throw new Error('The gateway was gone before the sandbox had booted')
const sources = { __proto__: null, ...rest.sources }
await addIsolatedVm(sources, isolatedVm)
lockModules(sources)
lockProcess()
await import(main)
