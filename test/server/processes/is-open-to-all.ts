import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** True if every user may enter this folder. A clone below root's home is closed to all others. */
export function isOpenToAll(path: string): boolean {
  const parent = dirname(path)
  return (statSync(path).mode & 0o001) === 1 && (parent === path || isOpenToAll(parent))
}
