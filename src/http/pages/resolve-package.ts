import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join, relative } from 'node:path'

/** A file of a package, for browsers. */
export interface PackageFile {
  /** `<package>/<path in the package>`. */
  readonly name: string
  readonly file: string
}

type Target = string | { readonly [condition: string]: Target } | null | undefined

interface Manifest {
  readonly name: string
  readonly exports?: Target
  readonly module?: string
  readonly main?: string
}

// Without `node`, because that build of a package is not for browsers.
const conditions = ['browser', 'import', 'default']

/** Finds the module that a bare specifier names for a browser. Throws if the package or its export is missing. */
export function resolvePackage(specifier: string, importer: string): PackageFile {
  const manifestFile = findPackageJSON(specifier, importer)
  if (manifestFile === undefined) throw new Error(`The package of \`${specifier}\` is not installed.`)
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
  const target = findTarget(manifest, `.${specifier.slice(manifest.name.length)}`)
  if (target === null) throw new Error(`\`${manifest.name}\` exports no \`${specifier}\` for browsers.`)
  const folder = dirname(manifestFile)
  const file = join(folder, target)
  return { name: `${manifest.name}/${relative(folder, file).replaceAll('\\', '/')}`, file }
}

function findTarget({ exports, module, main }: Manifest, path: string): string | null {
  if (exports === undefined) return path === '.' ? (module ?? main ?? null) : path
  const hasPaths = typeof exports === 'object' && exports !== null && Object.hasOwn(exports, '.')
  if (hasPaths) return Object.hasOwn(exports, path) ? choose(exports[path]) : choosePattern(exports, path)
  return path === '.' ? choose(exports) : null
}

// A pattern has one star, which stands for the same text in its targets.
function choosePattern(exports: { readonly [condition: string]: Target }, path: string): string | null {
  for (const [pattern, target] of Object.entries(exports)) {
    const [start, end] = pattern.split('*')
    if (start === undefined || end === undefined || !path.startsWith(start) || !path.endsWith(end)) continue
    const star = path.slice(start.length, path.length - end.length)
    return choose(target)?.replace('*', star) ?? null
  }
  return null
}

function choose(target: Target): string | null {
  if (typeof target === 'string') return target
  if (target === null || target === undefined) return null
  for (const condition of Object.keys(target)) {
    if (!conditions.includes(condition)) continue
    const chosen = choose(target[condition])
    if (chosen !== null) return chosen
  }
  return null
}
