import { type BigIntStats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { RostrumError } from '../../../errors.ts'

const intervalMs = 500

/** Checks that the file of an open database is still the file at its path. */
export interface FileWatch {
  isLost(): boolean
  /** Throws `UNAVAILABLE` once the file is lost. */
  refuseIfLost(): void
  stop(): void
}

/** Watches nothing, for a database in memory, or one that no gateway serves. */
export const noFileWatch: FileWatch = { isLost: () => false, refuseIfLost() {}, stop() {} }

/**
 * Checks twice a second whether the file at `path` was removed or replaced. SQLite does not notice that: it goes on
 * writing into the open file, which disappears when the process ends. Calls `onLost` once, with the reason.
 */
export function watchFile(path: string, onLost: (reason: string) => void): FileWatch {
  const opened = statSync(path, { bigint: true })
  let reason: string | null = null

  async function look(): Promise<void> {
    const now = await readStats(path)
    if (now === 'unknown' || reason !== null) return
    if (now !== null && now.ino === opened.ino && now.dev === opened.dev) return
    clearInterval(timer)
    reason = `The database file was ${now === null ? 'removed' : 'replaced'} while this gateway had it open.`
    onLost(reason)
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
    stop: () => clearInterval(timer),
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
