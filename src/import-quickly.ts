import { registerHooks } from 'node:module'

const source = new URL('.', import.meta.url).href
// Packages whose `.js` files are all ES modules.
const modules = /\/node_modules\/(?:drizzle-orm|zod|@pothos\/[a-z-]+\/esm)\//
// Its files are CommonJS modules, which name each other with the ending.
const commonJs = /\/node_modules\/graphql\//

/**
 * Imports a module, and resolves the imports below it without the file system if their kind is known. For each of a
 * thousand imports, Node would look up the file, its real path and the `package.json` with its kind. Drizzle's has 179
 * kB, and each import of Drizzle by name would parse it again. Each package name is resolved once.
 */
export async function importQuickly<Module>(doImport: () => Promise<Module>): Promise<Module> {
  const packages = new Map<string, ReturnType<typeof resolved>>()
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '', conditions } = context
      const kind = findKind(specifier, parentURL)
      if (kind !== null) return resolved(new URL(specifier, parentURL).href, kind)
      if (!conditions.includes('import')) return next(specifier, context)
      if (specifier.startsWith('.') || !parentURL.startsWith(source)) return next(specifier, context)
      return packages.getOrInsertComputed(specifier, () => {
        const { url, format } = next(specifier, context)
        return resolved(url, format)
      })
    },
  })
  try {
    return await doImport()
  } finally {
    hooks.deregister()
  }
}

// Null if only Node knows it.
function findKind(specifier: string, parentURL: string): string | null {
  if (!specifier.startsWith('.')) return null
  if (parentURL.startsWith(source)) return specifier.endsWith('.ts') ? 'module-typescript' : null
  if (modules.test(parentURL)) return 'module'
  return commonJs.test(parentURL) && specifier.endsWith('.js') ? 'commonjs' : null
}

function resolved(url: string, format: string | null | undefined) {
  return { url, format, shortCircuit: true }
}
