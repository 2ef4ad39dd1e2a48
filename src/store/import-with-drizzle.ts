import { registerHooks } from 'node:module'

const folder = '/node_modules/drizzle-orm/'

/**
 * Does an import that takes Drizzle in. To learn what kind of module a file is, Node parses the package's `package.json` anew
 * for each one: Drizzle has 112 files and 179 kB of it, which is a third of a second and 130 MB of garbage at every start.
 * A file of Drizzle that is imported by another is what that one is.
 */
export async function importWithDrizzle<Module>(doImport: () => Promise<Module>): Promise<Module> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context
      if (!specifier.startsWith('.') || !parentURL?.includes(folder)) return next(specifier, context)
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    },
  })
  try {
    return await doImport()
  } finally {
    hooks.deregister()
  }
}
