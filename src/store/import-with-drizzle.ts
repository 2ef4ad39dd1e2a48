import { registerHooks } from 'node:module'

const folder = '/node_modules/drizzle-orm/'

/**
 * Imports a module that uses Drizzle. To learn the kind of each of Drizzle's 108 files, Node would parse its
 * `package.json` of 179 kB again: a third of a second and 130 MB of garbage at every start. All files of Drizzle are
 * of the same kind.
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
