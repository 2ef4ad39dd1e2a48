import { accessSync, constants, realpathSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { StartError } from '../../errors.ts'
import { cannotBe, maxLockMs } from '../sqlite/connection/describe-failure.ts'
import { createForOwner, refuseMissingFile } from '../sqlite/connection/file-checks.ts'
import { createKeyFile } from '../sqlite/key-file.ts'

/**
 * Copies a store into a new file that only its owner can read, in one read transaction: a gateway that serves the store
 * goes on, and what it commits meanwhile is not in the copy. Returns the bytes of the copy, and the file of the key
 * that is not in it. Throws a `StartError` if that is not possible.
 */
export async function backupStore(path: string, to: string): Promise<{ bytes: number; keyFile: string }> {
  refuseMissingFile(path, 'DATABASE_URL')
  let client: SqliteDatabase.Database | undefined
  // What fails from the second step on is as likely the disk of the copy.
  let what = 'copied'
  try {
    client = new SqliteDatabase(path, { fileMustExist: true, timeout: maxLockMs })
    refuseOtherTables(client, path)
    what = `copied to \`${to}\``
    createForOwner(to)
    client.prepare('vacuum into ?').run(to)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw what === 'copied' ? explainUnopened(path, error) : cannotBe(what, path, error)
  } finally {
    client?.close()
  }
  return { bytes: await flushFile(to), keyFile: createKeyFile(path).path }
}

// SQLite reads a store only where it can make a log beside it, which a snapshot of a disk or another user may forbid.
function explainUnopened(path: string, error: unknown): StartError {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!/^SQLITE_(CANTOPEN|READONLY)/.test(code)) return cannotBe('copied', path, error)
  const folder = dirname(realpathSync(path))
  try {
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    const advice =
      'Copy the store and its `-wal` to a folder where you can, and name that copy in DATABASE_URL.'
    const message = `nothing can be written in its folder \`${folder}\`, and SQLite makes a log there. ${advice}`
    return new StartError(`The database \`${path}\` cannot be copied: ${message}`, { cause })
  }
  return cannotBe('copied', path, error)
}

// Returns the size of the file once it is on disk. Other work goes on meanwhile, such as a signal that came during the
// copy.
async function flushFile(path: string): Promise<number> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

// Refuses a database that is no store, such as one whose log was removed while a gateway has it open.
function refuseOtherTables(client: SqliteDatabase.Database, path: string): void {
  const isStore = client.prepare("select 1 from sqlite_master where name = 'rostrum_migrations'").get()
  if (isStore !== undefined) return
  throw new StartError(
    `There is no store in the file \`${path}\`: it has no tables of Rostrum. Name a store in DATABASE_URL.`,
  )
}
