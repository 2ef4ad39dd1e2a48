import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileError } from './file-error.ts'

/**
 * Returns the sorted paths of the files below a folder whose names have this ending. Follows links, and enters each
 * folder once. Throws an error that names a folder that cannot be read.
 */
export function findFiles(root: string, ending: string): readonly string[] {
  const entered = new Set<string>()
  function find(below: string): readonly string[] {
    const folder = join(root, below)
    const real = read(folder, () => realpathSync(folder))
    if (entered.has(real)) return []
    entered.add(real)
    return listFolder(folder).flatMap(name => {
      const path = join(below, name)
      const stat = findStat(join(root, path))
      if (stat?.isDirectory() === true) return find(path)
      return stat?.isFile() === true && name.endsWith(ending) ? [path] : []
    })
  }
  return find('').toSorted()
}

/** Returns the names in a folder. Throws an error that names it if it cannot be read. */
export function listFolder(folder: string): readonly string[] {
  return read(folder, () => readdirSync(folder))
}

/** Returns the stats of what a path leads to, through links. Null if nothing is there. */
export function findStat(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') return null
    throw fileError('read', path, error)
  }
}

function read<Found>(path: string, work: () => Found): Found {
  try {
    return work()
  } catch (error) {
    throw fileError('read', path, error)
  }
}
