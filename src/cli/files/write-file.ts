import {
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileError } from './file-error.ts'

// What most file systems reserve for a small file.
const blockBytes = 4_096

/** Writes a file in its place. Throws an error that names the file if it cannot be written. */
export function writeFile(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch (error) {
    throw fileError('write', path, error)
  }
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
 * if that is not possible. The old one stays then. A link stays too, and the file that it names is replaced.
 */
export function replaceFile(path: string, text: string, mode = 0o666): void {
  const target = followLink(path)
  const next = nextTo(target)
  try {
    writeFileSync(next, text, { mode })
    renameSync(next, target)
  } catch (error) {
    removeIfThere(next)
    throw fileError('write', path, error)
  }
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
