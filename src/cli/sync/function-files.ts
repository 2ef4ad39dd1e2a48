import { hash } from 'node:crypto'
import { join } from 'node:path'
import { isName, nameRule } from '../../domain/name.ts'
import { findFiles, findStat, listFolder } from '../files/find-files.ts'
import { readFile } from '../files/read-file.ts'
import { wrongUse } from '../frame/cli-error.ts'

/** A function as a file. Its key is `incident/priority`, or `_/priority` without a case type. */
export interface FunctionFile {
  readonly key: string
  readonly source: string
  /** SHA-256 of the source, in hex: the hash that its version has. */
  readonly hash: string
}

/** The folder name of functions without a case type. No case type can have it. */
export const noCaseType = '_'

/** The path of a function's file below the folder that is synchronized. */
export const pathOfKey = (key: string): string => `functions/${key}.js`

/** The name and case type code of a function by its key. */
export function splitKey(key: string): { readonly name: string; readonly caseTypeCode: string | null } {
  const [code = '', name = ''] = key.split('/')
  return { name, caseTypeCode: code === noCaseType ? null : code }
}

export function toKey({
  name,
  caseTypeCode,
}: {
  readonly name: string
  readonly caseTypeCode: string | null
}): string {
  return `${caseTypeCode ?? noCaseType}/${name}`
}

/** Hashes the files of functions, by their keys. Leaves out files that can be no function. */
export function hashFunctionFiles(folder: string): Map<string, string> {
  const root = join(folder, 'functions')
  const paths = findPaths(root).filter(isPathOfFunction)
  return new Map(paths.map(path => [keyOfPath(path), hashSource(readBytes(root, path))]))
}

/** Reads the files of functions, by their keys. Throws an error that names a file that can be no function. */
export function readFunctionFiles(folder: string): Map<string, FunctionFile> {
  const root = join(folder, 'functions')
  return new Map(findPaths(root).map(path => [keyOfPath(path), readFunctionFile(root, path)]))
}

/** Lists the files that hold a script and are no functions, because their names do not end in `.js`. */
export function findOtherScripts(folder: string): readonly string[] {
  const paths = findPaths(join(folder, 'functions'), '')
  return paths
    .filter(path => /\.[cm]?js$/i.test(path) && !path.endsWith('.js'))
    .map(path => `functions/${path}`)
}

// A folder of a case type may be a link to another one, so each is searched by itself.
function findPaths(root: string, ending = '.js'): readonly string[] {
  if (findStat(root)?.isDirectory() !== true) return []
  const paths = listFolder(root).flatMap(name => {
    const stat = findStat(join(root, name))
    if (stat?.isDirectory() === true)
      return findFiles(join(root, name), ending).map(path => `${name}/${path.replaceAll('\\', '/')}`)
    return stat?.isFile() === true && name.endsWith(ending) ? [name] : []
  })
  return paths.toSorted()
}

function readBytes(root: string, path: string): Buffer {
  const file = join(root, path)
  return readFile(file, file)
}

function readFunctionFile(root: string, path: string): FunctionFile {
  const bytes = readBytes(root, path)
  try {
    // A mark at the beginning is part of the source.
    const source = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return { key: keyOfPath(path), source, hash: hashSource(source) }
  } catch {
    throw wrongUse(`\`functions/${path}\` is not UTF-8 text. Save it as UTF-8. Nothing was pushed.`)
  }
}

function keyOfPath(path: string): string {
  if (isPathOfFunction(path)) return path.replace(/\.js$/, '')
  throw wrongUse(
    `\`functions/${path}\` is no path of a function. It is \`functions/<case type code, or _>/<name>.js\`; ` +
      `a code and a name ${nameRule}.`,
  )
}

function isPathOfFunction(path: string): boolean {
  const [code = '', name = '', ...deeper] = path.replace(/\.js$/, '').split('/')
  return deeper.length === 0 && (code === noCaseType || isName(code)) && isName(name)
}

export function hashSource(source: string | Uint8Array): string {
  return hash('sha256', source)
}
