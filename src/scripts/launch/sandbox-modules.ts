import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { stripCached } from './strip-cached.ts'

const room = fileURLToPath(new URL('../../sandbox/', import.meta.url))

/**
 * Returns the first line for every sandbox: its modules and the protocol as plain JavaScript, by URL, and the real path
 * of the only package they use, because the sandbox may be unable to read the link to it. `sandbox/boot.mjs` says why.
 */
export function sandboxModules(): string {
  const sources: Record<string, string> = {}
  for (const name of ['../scripts/protocol.ts', ...globSync('**/*.ts', { cwd: room })]) {
    const path = join(room, name)
    sources[pathToFileURL(path).href] = readFileSync(path, 'utf8')
  }
  const isolatedVm = pathToFileURL(createRequire(import.meta.url).resolve('isolated-vm')).href
  return JSON.stringify({
    main: pathToFileURL(`${room}main.ts`).href,
    sources: stripCached(sources),
    isolatedVm,
    gateway: process.pid,
  })
}
