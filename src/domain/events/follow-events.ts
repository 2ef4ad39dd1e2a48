import { RostrumError } from '../../errors.ts'
import type { EventStore, NumberedEvent } from '../port.ts'
import type { EventFollowers } from './event-followers.ts'
import { createFollower, type Follower } from './follower.ts'
import { shareReads } from './share-reads.ts'

// Maximum number of events of one follower in memory, even if its reader is slow.
const maxEvents = 100
// How often a follower checks the store and the credential without a notification.
const usualPollMs = 5_000
// A follower that reads more often checks the credential less often, as long as there is nothing to send.
const confirmEveryMs = 4_000
// Codes of errors that a stream cannot go on after. Others are of a store that fails for a time.
const endingCodes: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT'])

export interface Following<Event> {
  readonly accountCode: string
  /** The sequence of the last known event; null to begin with new events. */
  readonly after: number | null
  /** Rejects with `UNAUTHENTICATED` or `FORBIDDEN` once the caller may not read events any more. */
  confirm(): Promise<void>
  /** Aborting this ends the stream of events. */
  readonly signal: AbortSignal
  /** Returns false for events to leave out. Absent: all events are sent. */
  readonly isWanted?: (event: Event) => boolean
  /** Called once when the store fails, and again only after the store has worked in between. The follower retries. */
  onTrouble(error: unknown): void
}

export interface EventFollowing<Event> {
  /**
   * Returns the account's events, each once and in order. They are read from the store as the caller takes them. Throws
   * `OVERLOADED` if there are too many followers, and `BAD_USER_INPUT` for a cursor that belongs to no event.
   */
  follow(following: Following<Event>): Promise<AsyncGenerator<Event, void>>
}

interface FollowingOptions {
  /** Resolves when the account has its turn among the requests of all accounts. */
  readonly waitForTurn: (accountCode: string) => Promise<void>
  readonly pollEveryMs?: number
}

/**
 * Creates followers of events. Notifications only wake a follower. It always reads the table from its last sequence, so
 * nothing is lost or repeated.
 */
export function createEventFollowing<Event extends NumberedEvent>(
  events: Pick<EventStore<Event>, 'listAfter' | 'newest'>,
  followers: EventFollowers,
  { waitForTurn, pollEveryMs = usualPollMs }: FollowingOptions,
): EventFollowing<Event> {
  const listAfter = shareReads(events.listAfter, waitForTurn)
  const findNewest = shareReads(events.newest, waitForTurn)

  async function findStart({ accountCode, after }: Following<Event>): Promise<number> {
    const newest = await findNewest(accountCode)
    if (after !== null) checkPlace(after, newest)
    return after ?? newest
  }

  return {
    async follow(following) {
      const { accountCode, signal, confirm, onTrouble, isWanted = isAny } = following
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
      let confirmedAt = Number.NEGATIVE_INFINITY
      let checkedReconnects = follower.reconnects
      // Throws if the store lost the place, as after a fail-over to a copy that lags. Events that it gets from then on
      // have numbers up to this place first, and would not be sent. A store with a later event has not lost it.
      async function checkAfterReconnect(
        reconnects: number,
        sequence: number,
        hasLater: boolean,
      ): Promise<void> {
        if (reconnects === checkedReconnects) return
        if (!hasLater && (await findNewest(accountCode)) < sequence) throw olderCopy()
        checkedReconnects = reconnects
      }

      // Reads events, then confirms the credential. In this order, events that were written after the credential ended
      // are not sent.
      async function readAfter(sequence: number): Promise<readonly Event[]> {
        const { reconnects } = follower
        try {
          const page = await listAfter(accountCode, sequence, maxEvents)
          await checkAfterReconnect(reconnects, sequence, page.length > 0)
          if (page.length > 0 || performance.now() - confirmedAt > confirmEveryMs) {
            await confirm()
            confirmedAt = performance.now()
          }
          isTroubled = false
          return page
        } catch (error) {
          if (endsFollowing(error)) throw error
          if (!isTroubled) onTrouble(error)
          isTroubled = true
          return []
        }
      }

      async function* send(start: number): AsyncGenerator<Event, void> {
        let last = start
        try {
          while (!follower.isEnded()) {
            const page = await readAfter(last)
            last = (yield* sendInTime(page, { follower, isWanted })) ?? last
            const isLast = page.length < maxEvents && last === (page.at(-1)?.sequence ?? last)
            if (isLast) await follower.wait(pollEveryMs)
          }
        } finally {
          leave()
        }
      }

      try {
        return send(await findStart(following))
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}

interface Sending<Event> {
  readonly follower: Follower
  readonly isWanted: (event: Event) => boolean
}

const isAny = () => true

// Sends a page of events and returns the sequence of the last one sent. If the reader is slow, it stops, and the rest
// of the page is read and confirmed again.
async function* sendInTime<Event extends NumberedEvent>(
  page: readonly Event[],
  { follower, isWanted }: Sending<Event>,
) {
  const endAt = performance.now() + usualPollMs
  let last: number | null = null
  for (const event of page) {
    if (follower.isEnded() || performance.now() > endAt) break
    last = event.sequence
    if (isWanted(event)) yield event
  }
  return last
}

function endsFollowing(error: unknown): boolean {
  return error instanceof RostrumError && endingCodes.has(error.code)
}

function olderCopy(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    'The database was replaced by an older copy without some events of this stream. Read what you follow again.',
  )
}

/** Throws `BAD_USER_INPUT` for a place after the newest event, which has no event of this account. */
export function checkPlace(after: number, newest: number): void {
  if (after <= newest) return
  throw new RostrumError(
    'BAD_USER_INPUT',
    '`after` is the cursor of an event that this account does not have; take it from one that it has.',
  )
}
