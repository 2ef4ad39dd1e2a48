import { hash, randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

type Sources = Readonly<Record<string, string>>

/**
 * Strips the types from TypeScript sources. Keys are file names. Caches the result in the folder of Node's compile
 * cache, if that is enabled, because Node's type stripper takes 100 ms and 20 MB. A damaged or missing cache file is
 * written again.
 */
export function stripCached(sources: Sources, folder = getCompileCacheDir()): Sources {
  if (folder === undefined) return strip(sources)
  const path = join(folder, `sandbox-${digest(JSON.stringify(sources))}.json`)
  const cached = readChecked(path)
  if (cached !== null) return JSON.parse(cached) as Sources
  const stripped = strip(sources)
  writeChecked(path, JSON.stringify(stripped))
  return stripped
}

// Reads a cache file; null if it is damaged or missing. Its first line is the digest of the rest.
function readChecked(path: string): string | null {
  try {
    const [line = '', text = ''] = readFileSync(path, 'utf8').split('\n')
    return line === digest(text) ? text : null
  } catch {
    return null
  }
}

// Writes a cache file under another name and renames it when complete, because several gateways may start at once.
// Without permission to write, or room on the disk, nothing is cached, and no part of a file is left.
function writeChecked(path: string, text: string): void {
  const part = `${path}.${randomUUID()}`
  try {
    writeFileSync(part, `${digest(text)}\n${text}`)
    renameSync(part, path)
  } catch {
    remove(part)
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // It was not made.
  }
}

function digest(text: string): string {
  return hash('sha256', text)
}

// Strips types without Node's warning that this function is experimental. Node loads this file with the same function.
function strip(sources: Sources): Sources {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return Object.fromEntries(
      Object.entries(sources).map(([name, text]) => [name, stripTypeScriptTypes(text)]),
    )
  } finally {
    process.emitWarning = emitWarning
  }
}
