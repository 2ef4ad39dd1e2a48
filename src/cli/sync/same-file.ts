import { join } from 'node:path'
import { findStat } from '../files/find-files.ts'
import { makeFolder } from '../files/write-file.ts'
import { wrongUse } from '../frame/cli-error.ts'

/**
 * Throws an error if two of these functions would be one file. This is so for `a/Sum` and `a/sum` on file systems that
 * ignore case, as those of macOS and Windows do. The source of one would become that of the other.
 */
export function refuseSameFile(folder: string, keys: readonly string[]): void {
  const twins = findTwins(keys)
  if (twins === null || !ignoresCase(folder)) return
  throw wrongUse(
    `\`${twins.join('` and `')}\` differ by case alone, and the file system of ${folder} does not tell them apart. ` +
      'Nothing was written or pushed. Use a folder on another one.',
  )
}

// Two case types may be one folder too.
function findTwins(keys: readonly string[]): readonly [string, string] | null {
  const names = new Map<string, string>()
  for (const key of keys) {
    for (const name of [key.split('/', 1)[0] ?? '', key]) {
      const known = names.getOrInsert(name.toLowerCase(), name)
      if (known !== name) return [known, name]
    }
  }
  return null
}

function ignoresCase(folder: string): boolean {
  makeFolder(join(folder, 'functions'))
  const [stat, other] = [findStat(join(folder, 'functions')), findStat(join(folder, 'FUNCTIONS'))]
  return stat !== null && other !== null && stat.ino === other.ino && stat.dev === other.dev
}
