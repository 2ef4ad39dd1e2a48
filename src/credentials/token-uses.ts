import type { TokenStore } from '../domain/directory/token-store.ts'

const dayMs = 86_400_000
// Time between two writes. Token uses that happen in between are written together.
const writeAfterMs = 60_000
// Maximum number of uses that wait to be written, about 1 MB. Further uses are dropped; the next use of the token is
// noted instead.
const maxWaiting = 10_000
const maxAtOnce = 1_000

/** A token as a look-up found it. `lastUsedOn` is updated in memory, so that more uses on the same day cost nothing. */
export interface UsedToken {
  readonly id: number
  lastUsedOn: string | null
}

export interface TokenUses {
  /** Notes that the token is used now. The day is written later, unless it is already stored. */
  note(token: UsedToken): void
  /** Writes the waiting uses and stops. */
  close(): Promise<void>
}

interface Dependencies {
  readonly store: Pick<TokenStore, 'noteUses'>
  readonly onError: (error: unknown) => void
}

/**
 * Stores the day of the last use of each token (contract, section 9). Uses are written in groups, at most once a day
 * for each token, and no request waits for it. A group that cannot be written is tried again a minute later.
 */
export function createTokenUses({ store, onError }: Dependencies): TokenUses {
  const waiting = new Map<number, string>()
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()
  let today = ''
  let todayEndsAt = 0

  function findToday(): string {
    const now = Date.now()
    if (now >= todayEndsAt || now < todayEndsAt - dayMs) {
      todayEndsAt = (Math.floor(now / dayMs) + 1) * dayMs
      today = new Date(now).toISOString().slice(0, 10)
    }
    return today
  }

  async function writeAll(): Promise<void> {
    try {
      while (waiting.size > 0) await writeSome()
    } catch (error) {
      onError(error)
      writeLater()
    }
  }

  async function writeSome(): Promise<void> {
    const [[, day = ''] = []] = waiting
    const ids: number[] = []
    for (const [id, usedOn] of waiting) if (usedOn === day && ids.length < maxAtOnce) ids.push(id)
    await store.noteUses(day, ids)
    // Keep a token that was used on the next day during the write.
    for (const id of ids) if (waiting.get(id) === day) waiting.delete(id)
  }

  function writeLater(): void {
    timer ??= setTimeout(() => {
      timer = null
      writing = writeAll()
    }, writeAfterMs).unref()
  }

  return {
    note(token) {
      const day = findToday()
      if (token.lastUsedOn === day || (waiting.size >= maxWaiting && !waiting.has(token.id))) return
      token.lastUsedOn = day
      waiting.set(token.id, day)
      writeLater()
    },
    async close() {
      await writing
      await writeAll()
      if (timer !== null) clearTimeout(timer)
    },
  }
}
