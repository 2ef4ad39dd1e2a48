import { existsSync, realpathSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import { StartError } from '../../../errors.ts'
import { cannotBe, isLocked } from './describe-failure.ts'
import { createForOwner } from './file-checks.ts'

/**
 * Makes this process the only gateway of the file at `path`, until the returned function is called or the process dies.
 * The kernel holds the lock, on an empty database beside the file. Commands that only open the store do not need it.
 */
export function takeServeLock(path: string): () => void {
  // A symbolic link must share the lock of its file.
  const lockPath = `${existsSync(path) ? realpathSync(path) : path}-serve`
  try {
    createForOwner(lockPath)
    const lock = new SqliteDatabase(lockPath, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return () => lock.close()
  } catch (error) {
    if (!isLocked(error)) throw cannotBe(`locked: \`${lockPath}\``, path, error)
    throw new StartError(`Another gateway serves the database \`${path}\`. Stop it, or name another path.`)
  }
}
