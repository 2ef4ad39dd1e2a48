// Plain JavaScript, unlike the rest: with V8's compilers off there is no WebAssembly, and Node's type stripper is made of
// it. So the gateway strips the types and sends the modules as the first line; this file takes them in.
import { readSync } from 'node:fs'
import { registerHooks } from 'node:module'

const standardInput = 0

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

const { main, sources, packages } = JSON.parse(readFirstLine())
registerHooks({
  resolve(specifier, context, next) {
    if (Object.hasOwn(packages, specifier)) return { url: packages[specifier], shortCircuit: true }
    if (!specifier.startsWith('.')) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
  },
  load: (url, context, next) =>
    Object.hasOwn(sources, url)
      ? { format: 'module', source: sources[url], shortCircuit: true }
      : next(url, context),
})
await import(main)
