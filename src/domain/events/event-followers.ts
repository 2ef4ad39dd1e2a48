import { RostrumError, shuttingDown } from '../../errors.ts'
import type { EventStore } from '../port.ts'
import type { Follower } from './follower.ts'

// Maximum number of followers. Each one is an open connection.
const maxFollowers = { ofAccount: 100, ofGateway: 1_000 }

/** The followers of changes at this gateway, of memberships and of cases together. */
export interface EventFollowers {
  /** Adds a follower. Throws `OVERLOADED` if there are too many, or if the gateway is stopping. */
  add(follower: Follower): void
  remove(follower: Follower): void
  /** Ends all followers and refuses new ones, because the gateway stops. */
  endAll(): void
}

/** Wakes followers after changes in the store. Listens to the store only while there are followers. */
export function createEventFollowers(events: Pick<EventStore<unknown>, 'onChange'>): EventFollowers {
  const followers = new Map<string, Set<Follower>>()
  let count = 0
  let isOver = false
  let stopListening = () => {}

  const all = () => [...followers.values()].flatMap(ofAccount => [...ofAccount])

  function wake(accountCode: string | null): void {
    // The connection to the store is a new one, so that the store may be another.
    if (accountCode === null) for (const follower of all()) follower.noteReconnect()
    else for (const follower of followers.get(accountCode) ?? []) follower.wake()
  }

  return {
    add(follower) {
      if (isOver) throw shuttingDown()
      const ofAccount = followers.get(follower.accountCode) ?? new Set()
      if (ofAccount.size >= maxFollowers.ofAccount) throw tooMany(`${ofAccount.size} streams of this account`)
      if (count >= maxFollowers.ofGateway) throw tooMany(`${count} streams of all accounts`)
      followers.set(follower.accountCode, ofAccount.add(follower))
      count += 1
      if (count === 1) stopListening = events.onChange(wake)
    },
    remove(follower) {
      const ofAccount = followers.get(follower.accountCode)
      if (!ofAccount?.delete(follower)) return
      if (ofAccount.size === 0) followers.delete(follower.accountCode)
      count -= 1
      if (count === 0) stopListening()
    },
    endAll() {
      isOver = true
      for (const follower of all()) follower.end()
    },
  }
}

function tooMany(which: string): RostrumError {
  return new RostrumError(
    'OVERLOADED',
    `${which} are open at this gateway, the maximum. End one, or try again in 5 s.`,
    { retryAfterSeconds: 5 },
  )
}
