import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { StartError } from '../../../errors.ts'
import { findPending } from '../migrate.ts'
import { cannotBe, maxLockMs } from './describe-failure.ts'

// Maximum size of a file that is checked page by page. Reading a larger file would delay the start.
const maxBytesToCheck = 64 * 2 ** 20

const sqliteHeader = Buffer.from('SQLite format 3\0')

/**
 * Refuses a path that is not a store and must not become one, with a `StartError` of one line. For a new file it
 * creates the missing folders, and changes nothing else.
 */
export function refuseUnusableFile(path: string): void {
  refuseWhiteSpace(path)
  refuseTilde(path)
  makeFolder(path)
  // Looks for the log first: another process that creates the store writes the log after the file.
  const log = logOf(path)
  const hasLog = (findFile(log, path)?.size ?? 0) > 0
  const stats = findFile(path)
  if (hasLog && (stats === undefined || stats.size === 0)) throw logAlone(path, log)
  if (stats === undefined) return refuseWithoutRights(path, 'made', [dirname(path)])
  refuseNonFile(path, stats)
  refuseUnwritable(path)
  if (stats.size === 0) return
  refuseForeignHeader(path)
  refuseDamage(path, { bytes: stats.size, hasLog })
}

/**
 * Throws a `StartError` if the file is missing or empty, or this user may not read it. For commands that only read, and
 * must not create a store. `namedBy` is the setting or option that has the path.
 */
export function refuseMissingFile(path: string, namedBy: 'DATABASE_URL' | '`--from`'): void {
  refuseWhiteSpace(path)
  const stats = findFile(path)
  const advice = `Name the path of a store by ${namedBy}.`
  if (stats === undefined) throw new StartError(`There is no file \`${path}\`. ${advice}`)
  if (stats.size === 0)
    throw new StartError(`There is no store in the file \`${path}\`: it is empty. ${advice}`)
  refuseWithoutRights(path, 'read', filesOf(path), constants.R_OK)
}

/**
 * Creates an empty file that only its owner can read. Leaves an existing file as it is. SQLite creates its log and
 * index with the same permissions.
 */
export function createForOwner(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

// Refuses a path that begins or ends with white space. better-sqlite3 would open the path without it, or a temporary
// file if nothing is left.
function refuseWhiteSpace(path: string): void {
  if (path === path.trim()) return
  const shown = JSON.stringify(path)
  throw new StartError(`The path \`${shown}\` of the database begins or ends with white space. Remove that.`)
}

// Refuses the home folder as shells write it. No shell puts it in after `sqlite:`, so it would be a folder named `~`.
function refuseTilde(path: string): void {
  if (!path.startsWith('~/')) return
  throw new StartError(
    `The path \`${path}\` of the database begins with \`~\`. Write the whole path of your folder.`,
  )
}

function makeFolder(path: string): void {
  try {
    makeMissingFolders(dirname(path))
  } catch (error) {
    throw cannotBe('made', path, error)
  }
}

// Returns undefined if there is no file. A folder that this user may not enter does not say whether there is one.
function findFile(file: string, path = file): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw cannotBe('reached', path, error)
  }
}

// The log is beside the file that a symbolic link names, also if that file is missing.
function logOf(path: string): string {
  if (existsSync(path)) return `${realpathSync(path)}-wal`
  try {
    return `${resolve(dirname(path), readlinkSync(path))}-wal`
  } catch {
    return `${path}-wal`
  }
}

// SQLite would remove the log of a new or empty file, and with it the newest changes of a store that was moved.
function logAlone(path: string, log: string): StartError {
  return new StartError(
    `There is no store in the file \`${path}\`, but its log \`${log}\` has changes. ` +
      'Put the file back beside it, or remove the log to begin with an empty store.',
  )
}

// Creates the missing folders one by one. With `recursive`, Node never returns if an existing folder refuses new ones
// with ENOENT, as /proc does.
function makeMissingFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return
  makeMissingFolders(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Ignored if another process has created the folder meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function refuseNonFile(path: string, stats: Stats): void {
  if (stats.isFile() && stats.nlink > 1) {
    throw new StartError(
      `The database \`${path}\` has ${stats.nlink} names (hard links), and SQLite would keep a log for each. Keep one.`,
    )
  }
  if (stats.isFile()) return
  const kind = stats.isDirectory() ? 'a folder' : 'no regular file'
  throw new StartError(`The database \`${path}\` is ${kind}. Name the path of a file.`)
}

// Somebody else may own the log and its index, such as root after a copy of the files.
function refuseUnwritable(path: string): void {
  refuseWithoutRights(path, 'written', [...filesOf(path), dirname(realpathSync(path))])
}

// SQLite writes the log and its index beside the file that a symbolic link names.
function filesOf(path: string): readonly string[] {
  const file = realpathSync(path)
  return [file, `${file}-wal`, `${file}-shm`]
}

// Names the first file or folder for which this user lacks the rights. What does not exist needs none.
function refuseWithoutRights(
  path: string,
  what: string,
  needed: readonly string[],
  rights = constants.R_OK | constants.W_OK,
): void {
  for (const name of needed) {
    try {
      accessSync(name, rights)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      throw cannotBe(`${what}: \`${name}\``, path, error)
    }
  }
}

function refuseForeignHeader(path: string): void {
  const start = Buffer.alloc(sqliteHeader.length)
  const file = openSync(path, 'r')
  try {
    readSync(file, start, 0, start.length, 0)
  } finally {
    closeSync(file)
  }
  if (!start.equals(sqliteHeader)) {
    throw new StartError(`The file \`${path}\` is not a SQLite database. Name another path.`)
  }
}

// Refuses a damaged file. It opens the file read-only if there is a log, because closing a writing connection would
// move the log of a crash into the file. Without a log it does not, because a read-only connection would leave empty
// files.
function refuseDamage(path: string, { bytes, hasLog }: { bytes: number; hasLog: boolean }): void {
  let client: Database | undefined
  try {
    client = new SqliteDatabase(path, { readonly: hasLog, timeout: maxLockMs })
    const found = bytes > maxBytesToCheck ? 'ok' : client.pragma('quick_check(1)', { simple: true })
    if (found !== 'ok') throw new StartError(damaged(path, hasLog))
    findPending(client, `The database \`${path}\``)
  } catch (error) {
    if (error instanceof StartError) throw error
    if (isDamage(error)) throw new StartError(damaged(path, hasLog), { cause: error })
    throw cannotBe('read', path, error)
  } finally {
    client?.close()
  }
}

// The log of another file damages a backup that was put beside it.
function damaged(path: string, hasLog: boolean): string {
  const log = hasLog ? ` and remove \`${logOf(path)}\`, which does not belong to the backup` : ''
  return `The database \`${path}\` is damaged. Put a backup in its place${log}; nothing was changed in it.`
}

function isDamage(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
}
