import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileError } from './file-error.ts'

// What most file systems reserve for a small file.
const blockBytes = 4_096

/**
 * Writes a file, or replaces one and keeps its mode and owner. Throws an error that names the file if it cannot be
 * written. It then has all of its old text, for example if the disk is full.
 */
export function writeFile(path: string, text: string): void {
  let before: Stats | undefined
  try {
    before = statSync(path, { throwIfNoEntry: false })
    // A file that this user may not write could still be replaced by a new one.
    if (before !== undefined) closeSync(openSync(path, 'r+'))
  } catch (error) {
    throw fileError('write', path, error)
  }
  replaceFile(path, text, 0o666, before)
}

/** Deletes a file. Throws an error that names it if it cannot be deleted. */
export function deleteFile(path: string): void {
  try {
    rmSync(path)
  } catch (error) {
    throw fileError('delete', path, error)
  }
}

/**
 * Replaces a file by a new one, so that a reader sees the old file or the new one. Throws an error that names the file
 * if that is not possible. The old one stays then. A link stays too, and the file that it names is replaced. If
 * `before` is given, the new file has its mode and owner.
 */
export function replaceFile(path: string, text: string, mode = 0o666, before?: Stats): void {
  const target = followLink(path)
  const next = nextTo(target)
  try {
    writeFileSync(next, text, { mode })
    if (before !== undefined) keepAttributes(next, before)
    renameSync(next, target)
  } catch (error) {
    removeIfThere(next)
    throw fileError('write', path, error)
  }
}

function keepAttributes(path: string, { uid, gid, mode }: Stats): void {
  try {
    chownSync(path, uid, gid)
  } catch {
    // Only root may give a file to another user.
  }
  chmodSync(path, mode)
}

/** Throws the error of `replaceFile` if the folder takes no new file now. */
export function checkReplaceable(path: string): void {
  const next = nextTo(followLink(path))
  try {
    // A full disk may still take an empty file.
    writeFileSync(next, Buffer.alloc(blockBytes))
  } catch (error) {
    throw fileError('write', path, error)
  } finally {
    removeIfThere(next)
  }
}

/**
 * Makes a folder, and the folders above it that are missing. Throws an error that names the folder that cannot be made.
 * Node's recursive `mkdirSync` does not end below a folder that exists and answers ENOENT, as /proc does.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw fileError('make the folder', path, error)
  }
}

// Returns the path that a link leads to, even if there is no file yet.
function followLink(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const target = readLink(path)
    // Links that lead back to themselves are `ELOOP`.
    if (target === null || (error as NodeJS.ErrnoException).code !== 'ENOENT') return path
    return followLink(resolve(followLink(dirname(path)), target))
  }
}

function readLink(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

const nextTo = (path: string): string => `${path}.${process.pid}`

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It was not written.
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
