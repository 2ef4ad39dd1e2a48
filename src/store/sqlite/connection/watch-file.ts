import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { RostrumError } from '../../../errors.ts'

const intervalMs = 500

/** Checks that the files of an open database are still the files at their paths. */
interface FileWatch {
  isLost(): boolean
  /** Throws `UNAVAILABLE` once a file is lost. */
  refuseIfLost(): void
  stop(): void
}

/** Watches nothing, for a database in memory, or one that no gateway serves. */
export const noFileWatch: FileWatch = { isLost: () => false, refuseIfLost() {}, stop() {} }

/**
 * Checks twice a second whether the file at `path`, its log or its lock was removed or replaced. SQLite does not notice
 * that: it goes on writing into the open file, which disappears when the process ends. Calls `onLost` once, with the
 * reason. SQLite creates the log at the first read, and keeps it until the last connection closes.
 */
export function watchFile(path: string, onLost: (reason: string) => void): FileWatch {
  // The log and the lock are beside the file that a symbolic link names.
  const file = realpathSync(path)
  const watched = [path, `${file}-wal`, `${file}-serve`].flatMap(watchedPath => {
    const opened = statSync(watchedPath, { bigint: true, throwIfNoEntry: false })
    const name = watchedPath === path ? 'database file' : `file \`${basename(watchedPath)}\` of the database`
    return opened === undefined ? [] : [{ path: watchedPath, name, opened }]
  })
  let reason: string | null = null
  let isStopped = false

  async function look(): Promise<void> {
    for (const { path, name, opened } of watched) {
      const now = await readStats(path)
      if (reason !== null || isStopped) return
      if (now === 'unknown' || (now?.ino === opened.ino && now.dev === opened.dev)) continue
      clearInterval(timer)
      reason = `The ${name} was ${now === null ? 'removed' : 'replaced'} while this gateway had it open.`
      onLost(reason)
    }
  }

  const timer = setInterval(() => void look(), intervalMs)
  timer.unref()
  return {
    isLost: () => reason !== null,
    refuseIfLost() {
      if (reason === null) return
      throw new RostrumError('UNAVAILABLE', `${reason} Nothing was changed. Try again in 5 s.`, {
        retryAfterSeconds: 5,
      })
    },
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}

// Returns null for a missing file, and `unknown` if the folder cannot be read for a moment, which says nothing about
// the file.
async function readStats(path: string): Promise<BigIntStats | null | 'unknown'> {
  try {
    return await stat(path, { bigint: true })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'unknown'
  }
}
