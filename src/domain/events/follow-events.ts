import { RostrumError } from '../../errors.ts'
import type { EventStore, MembershipEvent } from '../store.ts'
import { createEventFollowers } from './event-followers.ts'
import { createFollower, type Follower } from './follower.ts'
import { shareReads } from './share-reads.ts'

// Of one follower in memory, however slowly they are taken.
const mostEvents = 100
// A look at the store, and at the credential, when nothing has told of a change.
const lookEveryMs = 5_000

export interface Following {
  readonly accountCode: string
  /** The sequence of the last event that is known; null to begin with what comes from now on. */
  readonly after: number | null
  /** Rejects with `UNAUTHENTICATED` or `FORBIDDEN` once nothing may be told any longer. */
  confirm(): Promise<void>
  /** Ends it. */
  readonly signal: AbortSignal
  /** Told when the store cannot be asked, once until it can; it is tried again. */
  onTrouble(error: unknown): void
}

export interface EventFollowing {
  /**
   * The account's events, each once and in order, until somebody ends it; they are read as they are taken. `OVERLOADED` where too
   * many follow, `BAD_USER_INPUT` for the place of no event.
   */
  follow(following: Following): Promise<AsyncGenerator<MembershipEvent, void>>
  /** Ends all. */
  close(): void
}

/**
 * What the store tells of changes only wakes: the truth is the table, read from the last known event on. So nothing is missed where
 * nothing was told, and nothing comes twice.
 */
export function createEventFollowing(events: EventStore): EventFollowing {
  const followers = createEventFollowers(events)
  const listAfter = shareReads(events.listAfter)

  async function findStart({ accountCode, after }: Following): Promise<number> {
    const newest = await events.newest(accountCode)
    if (after !== null && after > newest) throw unknownPlace()
    return after ?? newest
  }

  return {
    async follow(following) {
      const { accountCode, signal, confirm, onTrouble } = following
      const follower = createFollower(accountCode)
      followers.add(follower)
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()

      function leave(): void {
        follower.end()
        followers.remove(follower)
        signal.removeEventListener('abort', leave)
      }

      let isTroubled = false
      // Confirmed behind the read: what was written after the credential had ended is not told.
      async function readAfter(sequence: number): Promise<readonly MembershipEvent[]> {
        try {
          const page = await listAfter(accountCode, sequence, mostEvents)
          await confirm()
          isTroubled = false
          return page
        } catch (error) {
          if (endsFollowing(error)) throw error
          if (!isTroubled) onTrouble(error)
          isTroubled = true
          return []
        }
      }

      async function* tell(start: number): AsyncGenerator<MembershipEvent, void> {
        let last = start
        try {
          while (!follower.isEnded()) {
            const page = await readAfter(last)
            last = (yield* tellInTime(page, follower)) ?? last
            const isDry = page.length < mostEvents && last === (page.at(-1)?.sequence ?? last)
            if (isDry) await follower.wait(lookEveryMs)
          }
        } finally {
          leave()
        }
      }

      try {
        return tell(await findStart(following))
      } catch (error) {
        leave()
        throw error
      }
    },
    close: followers.endAll,
  }
}

// Gives the sequence of the last one told. What is taken too slowly is read again, and confirmed.
async function* tellInTime(page: readonly MembershipEvent[], follower: Follower) {
  const endAt = performance.now() + lookEveryMs
  let last: number | null = null
  for (const event of page) {
    if (follower.isEnded() || performance.now() > endAt) break
    last = event.sequence
    yield event
  }
  return last
}

function endsFollowing(error: unknown): boolean {
  return error instanceof RostrumError && (error.code === 'UNAUTHENTICATED' || error.code === 'FORBIDDEN')
}

function unknownPlace(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    '`after` is the cursor of an event that this account does not have; take it from one that it has.',
  )
}
