import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Who may write here may change the code itself. Node's own choice is a folder of the system's that anybody could have made.
const folder = fileURLToPath(new URL('../../node_modules/.cache/rostrum', import.meta.url))

/**
 * Lets Node keep what it makes of each module, types stripped and code compiled: the next start is spared it. By content and by
 * Node's version; what is spoilt or cannot be written is made anew.
 */
export function keepCompiledCode(): void {
  enableCompileCache(folder)
}
