// Loads the sandbox's modules from the first line of standard input. The gateway strips their types, because Node's
// type stripper needs WebAssembly, which V8 lacks without its compilers. Before running the modules, this file removes
// everything that a sandbox does not need, for the case that a script takes over this process.
import { readSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { setFlagsFromString } from 'node:v8'

const standardInput = 0
const environment = new Set(['PATH', 'TZ', 'LANG'])
// The functions of `process` that Node and the sandbox call. This file removes all others.
const functions = new Set(
  `_fatalException _tickCallback cpuUsage cwd emitWarning exit getActiveResourcesInfo hrtime kill memoryUsage nextTick
   reallyExit ref resourceUsage unref uptime`.split(/\s+/),
)
const properties = new Set(['_preload_modules', 'mainModule', 'report'])
// Built-in modules that the sandbox may import. Looking one up calls no function, because a script may have changed the
// functions of the language.
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
  // Reads bytes until the end of the first line. The gateway sends nothing after it until the sandbox is ready.
  for (;;) {
    const size = readSync(standardInput, chunk)
    if (size === 0) throw new Error('The gateway ended before the sandbox received its modules')
    chunks.push(Buffer.from(chunk.subarray(0, size)))
    if (chunk[size - 1] === 10) return Buffer.concat(chunks).toString('utf8')
  }
}

// Loads isolated-vm and returns only two of its parts. The whole package object could load any system library, and it
// cannot be changed.
async function addIsolatedVm(sources, url) {
  const { Callback, Isolate } = (await import(url)).default
  keepHashes(Isolate)
  globalThis.isolatedVm = Object.freeze({ Callback, Isolate })
  sources['isolated-vm:'] = 'export default globalThis.isolatedVm'
}

// V8 picks a secret seed for the hashes of strings when a process starts, and all isolates of the process share it. By
// default it hashes the strings of a snapshot again in each isolate, a twentieth of the cost of one. The snapshot that
// all isolates here start from was made in this process, so its hashes are right as they are.
function keepHashes(Isolate) {
  const { createSnapshot } = Isolate
  Isolate.createSnapshot = (...parts) => {
    const snapshot = createSnapshot(...parts)
    setFlagsFromString('--no-rehash-snapshot')
    return snapshot
  }
}

function denied(what) {
  return Object.assign(new Error(`${what} is not available in a sandbox`), { code: 'ERR_ACCESS_DENIED' })
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

// Removes the ability to send signals, which Node's permission model does not cover. With signals a sandbox could end
// its gateway and other sandboxes.
function restrictSignals() {
  const { pid, _kill: sendSignal } = process
  process.kill = target => {
    if (target !== pid) throw denied('A signal to another process')
    sendSignal(pid, 9)
  }
}

function lockProcess() {
  restrictSignals()
  for (const name of Object.getOwnPropertyNames(process)) {
    const { value } = Object.getOwnPropertyDescriptor(process, name)
    const isRemoved = typeof value === 'function' ? !functions.has(name) : properties.has(name)
    if (isRemoved) delete process[name]
  }
  for (const name of Object.keys(process.env)) if (!environment.has(name)) delete process.env[name]
  // Drops the permissions to load add-ons and read files. Everything needed is loaded by now.
  for (const permission of ['addon', 'fs.read']) process.permission.drop(permission)
}

// The stack of scripts in KiB, which is V8's own default. This process started with a larger one: a script at the end
// of its stack calls functions of this process on the same stack.
setFlagsFromString('--stack-size=984')

const { main, isolatedVm, gateway, ...rest } = JSON.parse(readFirstLine())
// Check this before the slow steps.
if (process.ppid !== gateway) throw new Error('The gateway ended before the sandbox booted')
const sources = { __proto__: null, ...rest.sources }
await addIsolatedVm(sources, isolatedVm)
lockModules(sources)
lockProcess()
await import(main)
