import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Inside the project, because a user who can write here can change the code anyway. Node's default is a shared folder.
const folder = fileURLToPath(new URL('../../node_modules/.cache/rostrum', import.meta.url))

/**
 * Makes Node cache its stripped and compiled modules, by content and version, so that the next start is faster. A
 * damaged or missing entry is compiled again.
 */
export function cacheCompiledCode(): void {
  enableCompileCache(folder)
}
