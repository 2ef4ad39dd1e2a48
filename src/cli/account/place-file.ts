import { constants, copyFileSync, linkSync } from 'node:fs'

// What file systems without hard links answer, such as those of USB sticks and network folders.
const noLinkCodes = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'ENOSYS']

/**
 * Puts a finished file at a path that must not exist, by a hard link, or by a copy where there are no links. Throws
 * `EEXIST` if another process wrote the file meanwhile.
 */
export function placeFile(from: string, to: string, link: typeof linkSync = linkSync): void {
  try {
    link(from, to)
  } catch (error) {
    if (!noLinkCodes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    copyFileSync(from, to, constants.COPYFILE_EXCL)
  }
}
