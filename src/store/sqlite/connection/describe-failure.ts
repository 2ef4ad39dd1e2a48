import { StartError } from '../../../errors.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'a folder of the path cannot be made',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'a part of the path is not a folder',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the path is too long',
  SQLITE_FULL: 'the disk is full',
  SQLITE_READONLY: 'it is read-only',
  SQLITE_CANTOPEN: 'the file cannot be opened',
  SQLITE_BUSY: 'another program holds it locked',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_NOTADB: 'it is not a SQLite database',
  // The first thing that a start writes is the index of the log.
  SQLITE_IOERR_SHMSIZE: 'the disk is full',
  SQLITE_IOERR: 'the disk failed to read or write',
}

/** Returns the reason of a failed file or SQLite call, worded as the end of a sentence. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return findReason(error) ?? error.message.replace(/\.$/, '')
}

/** Returns the error for a database that cannot be opened, created or written. */
export function cannotBe(what: string, path: string, cause: unknown): StartError {
  return new StartError(`The database \`${path}\` cannot be ${what}: ${describeFailure(cause)}.`, { cause })
}

/** Time for which a call waits while another program holds the lock that it needs, in ms. */
export const maxLockMs = 5_000

/** True if another program holds the lock of the database that a call needs. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

/** True if the disk or the file failed. The same call may succeed later. */
export function isDiskError(error: unknown): boolean {
  return error instanceof Error && findReason(error) !== undefined
}

function findReason(error: Error): string | undefined {
  const code = 'code' in error ? String(error.code) : ''
  // Removes the last part of SQLite's extended codes, such as SQLITE_IOERR_WRITE.
  const plain = code.split('_').slice(0, 2).join('_')
  return reasons[code] ?? reasons[plain]
}
