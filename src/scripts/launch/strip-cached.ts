import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir, stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

type Sources = Readonly<Record<string, string>>

/**
 * Turns TypeScript sources into plain JavaScript, both by name. Keeps the result in the folder of Node's compile cache,
 * if that is enabled: Node's type stripper takes 100 ms and 20 MB. A damaged or missing file is written again.
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

// The first line is the digest of the rest.
function readChecked(path: string): string | null {
  try {
    const [line = '', text = ''] = readFileSync(path, 'utf8').split('\n')
    return line === digest(text) ? text : null
  } catch {
    return null
  }
}

// Renamed when complete, because several gateways may start at once. Without permission to write, nothing is cached.
function writeChecked(path: string, text: string): void {
  const part = `${path}.${randomUUID()}`
  try {
    writeFileSync(part, `${digest(text)}\n${text}`)
    renameSync(part, path)
  } catch {
    return
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

// Silences the warning that this function is experimental. Node uses the same one to load this file.
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
