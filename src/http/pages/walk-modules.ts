import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { resolvePackage } from './resolve-package.ts'

const pagesFolder = fileURLToPath(new URL('../../pages/', import.meta.url))

/** A JavaScript module as a browser gets it. */
export interface Module {
  readonly file: string
  readonly text: string
  /** The names of the modules that it imports before it runs. */
  readonly imports: readonly string[]
}

/** Modules by their name, which is their path below `src/` or `npm/…`, and below `/assets/<version>/`. */
export interface ModuleGraph {
  readonly modules: ReadonlyMap<string, Module>
  /** The names of modules by the bare specifiers that import them. */
  readonly packages: ReadonlyMap<string, string>
}

interface Reference {
  readonly specifier: string
  readonly isStatic: boolean
}

// Matches an import or export with `from`, an import for its effect, an import on demand, and the address of a worker.
const references = new RegExp(
  [
    /(?:^|[;}\s])(?:import|export)\b[\w\s{},*$]*?\bfrom\s*(?<from>"[^"\n]+"|'[^'\n]+')/,
    /(?:^|[;}\s])import\s*(?<effect>"[^"\n]+"|'[^'\n]+')/,
    /\bimport\(\s*(?<demand>"[^"\n]+"|'[^'\n]+')\s*\)/,
    /\bnew URL\(\s*(?<address>'\.[^'\n]+\.ts')\s*,\s*import\.meta\.url\s*\)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
)

// Comments in lines of their own. A test finds one that would be part of a text.
const ownComments = /^ *(?:\/\*\*[\s\S]*?\*\/ *|\/\/.*)\n/gm

// The comments of a package in lines of their own, which are a quarter of what is sent, but for licences.
const packageComments = /^[ \t]*(?:\/\/.*|\/\*\*(?!\s*\*?\s*@license)[\s\S]*?\*\/[ \t]*)\n/gm

/** Reads the modules of `src/pages/` that have these paths, and everything that they import. */
export function walkModules(entries: readonly string[]): ModuleGraph {
  const modules = new Map<string, Module>()
  const packages = new Map<string, string>()
  const waiting = entries.map(path => ({ name: `pages/${path}`, file: join(pagesFolder, path) }))
  for (const { name, file } of waiting) {
    if (modules.has(name)) continue
    const text = readModule(file)
    const found = findReferences(text).map(({ specifier, isStatic }) => {
      const target = specifier.startsWith('.')
        ? besides(name, file, specifier)
        : installed(specifier, file, packages)
      waiting.push(target)
      return { name: target.name, isStatic }
    })
    modules.set(name, {
      file,
      text,
      imports: found.filter(({ isStatic }) => isStatic).map(found => found.name),
    })
  }
  return { modules, packages }
}

/** Returns the names of a module and of all that it imports before it runs. */
export function withImports(modules: ModuleGraph['modules'], entry: string): string[] {
  const names = new Set([entry])
  for (const name of names) for (const imported of modules.get(name)?.imports ?? []) names.add(imported)
  return [...names]
}

/** Returns JavaScript: the module without its types and without comments in lines of their own. */
export function stripModule(text: string): string {
  return stripTypeScriptTypes(text.replace(ownComments, ''))
}

/** Returns a module of a package without its comments. */
export function stripPackageModule(text: string): string {
  return text.replace(packageComments, '')
}

function readModule(file: string): string {
  const text = readFileSync(file, 'utf8')
  return file.endsWith('.ts') ? stripModule(text) : stripPackageModule(text)
}

function findReferences(text: string): Reference[] {
  return [...text.matchAll(references)].map(({ groups = {} }) => {
    const { from, effect, demand, address } = groups
    const quoted = from ?? effect ?? demand ?? address ?? ''
    return { specifier: quoted.slice(1, -1), isStatic: (from ?? effect) !== undefined }
  })
}

function besides(name: string, file: string, specifier: string) {
  return { name: join(dirname(name), specifier).replaceAll('\\', '/'), file: join(dirname(file), specifier) }
}

function installed(specifier: string, importer: string, packages: Map<string, string>) {
  const { name, file } = resolvePackage(specifier, pathToFileURL(importer).href)
  const asset = `npm/${name}`
  const known = packages.get(specifier)
  if (known !== undefined && known !== asset) throw new Error(`\`${specifier}\` is installed twice.`)
  packages.set(specifier, asset)
  return { name: asset, file }
}
