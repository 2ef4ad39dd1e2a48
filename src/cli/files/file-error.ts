import { type CliError, wrongUse } from '../frame/cli-error.ts'

type Work = 'read' | 'write' | 'delete' | 'make the folder' | 'protect the folder'

const ofPath: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of its path is no folder',
  ELOOP: 'its links lead back to themselves',
  ENAMETOOLONG: 'its name is too long',
}

const reading: Readonly<Record<string, string>> = {
  ...ofPath,
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
}

const writing: Readonly<Record<string, string>> = {
  ...ofPath,
  // Also the answer of /proc, whose folders take no new entries.
  ENOENT: 'nothing can be created there',
  EISDIR: 'it is a folder',
  EEXIST: 'there is a file in its place',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
}

/** Returns the error for work on a file or folder that failed. It names the path as given, and says why. */
export function fileError(work: Work, path: string, error: unknown): CliError {
  const reasons = work === 'read' ? reading : writing
  const { code = '' } = error as NodeJS.ErrnoException
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error))
  return wrongUse(`Cannot ${work} \`${path}\`: ${reason}.`)
}
