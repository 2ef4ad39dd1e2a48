import { RostrumError } from '../../errors.ts'
import type { EventStore } from '../store.ts'
import type { Follower } from './follower.ts'

/** Most at once; a follower is a connection that stays open. */
const most = { ofAccount: 100, ofGateway: 1_000 }

/** All who follow changes at this gateway. */
export interface EventFollowers {
  /** `OVERLOADED` where there are too many, and where all were ended. */
  add(follower: Follower): void
  remove(follower: Follower): void
  /** Ends them, for a gateway that stops: there are no more. */
  endAll(): void
}

/** Wakes followers when the store tells of changes; listens to it while there are any. */
export function createEventFollowers(events: EventStore): EventFollowers {
  const followers = new Map<string, Set<Follower>>()
  let count = 0
  let isOver = false
  let stopListening = () => {}

  const all = () => [...followers.values()].flatMap(ofAccount => [...ofAccount])

  function wake(accountCode: string | null): void {
    const woken = accountCode === null ? all() : (followers.get(accountCode) ?? [])
    for (const follower of woken) follower.wake()
  }

  return {
    add(follower) {
      if (isOver) throw stopping()
      const ofAccount = followers.get(follower.accountCode) ?? new Set()
      if (ofAccount.size >= most.ofAccount) throw tooMany(`${ofAccount.size} streams of this account`)
      if (count >= most.ofGateway) throw tooMany(`${count} streams of all accounts`)
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
    `${which} are open at this gateway already, the most there may be. End one, or try again in 5 s.`,
    { retryAfterSeconds: 5 },
  )
}

function stopping(): RostrumError {
  return new RostrumError('OVERLOADED', 'This gateway is shutting down; try again.', { retryAfterSeconds: 1 })
}
