import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { BuiltFile } from './build-site.ts'

const compress = promisify(gzip)
const libraryReference = /^\/\/\/ <reference lib="([^"]+)" \/>/gm

/** Returns TypeScript itself, which checks a script in the browser. */
export async function readTypeScript(): Promise<BuiltFile> {
  return toFile('text/javascript', await readFile(join(findFolder(), 'typescript.js')))
}

/** Returns the types of the language, without those of a browser: one JSON object of texts by file name. */
export async function readLanguageTypes(): Promise<BuiltFile> {
  const folder = findFolder()
  const names = new Set(['esnext'])
  const texts: Record<string, string> = {}
  for (const name of names) {
    const file = `lib.${name}.d.ts`
    const text = await readFile(join(folder, file), 'utf8')
    texts[file] = text
    for (const [, referenced = ''] of text.matchAll(libraryReference)) names.add(referenced)
  }
  return toFile('application/json', Buffer.from(JSON.stringify(texts)))
}

/** Returns the types of the script API. */
export async function readScriptTypes(): Promise<BuiltFile> {
  return toFile('text/plain', await readFile(new URL('../../sandbox/rostrum.d.ts', import.meta.url)))
}

// `@typescript/typescript6` is an alias; the files are those of the package that it depends on.
function findFolder(): string {
  const alias = createRequire(import.meta.url).resolve('@typescript/typescript6')
  return dirname(createRequire(alias).resolve('@typescript/old'))
}

/** Returns a file that is compressed once, on a thread of Node's pool. */
export async function toFile(type: string, bytes: Buffer): Promise<BuiltFile> {
  const gzipped = await compress(bytes, { level: constants.Z_BEST_COMPRESSION })
  return { type: `${type}; charset=utf-8`, gzipped: new Uint8Array(gzipped) }
}
