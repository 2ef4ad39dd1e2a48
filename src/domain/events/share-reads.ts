import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventStore } from '../port.ts'

type ListAfter<Event> = EventStore<Event>['listAfter']

/**
 * Shares one read among all followers that ask for the same in one turn of the event loop, because a change wakes all
 * followers of an account together. A follower never shares a read that was sent before it asked: that read may miss
 * the change that woke the follower.
 */
export function shareReads<Event>(listAfter: ListAfter<Event>): ListAfter<Event> {
  const asked = new Map<string, Promise<Event[]>>()
  return (accountCode, sequence, limit) => {
    const key = `${limit} ${sequence} ${accountCode}`
    const known = asked.get(key)
    if (known !== undefined) return known
    const reading = nextTurn().then(() => {
      asked.delete(key)
      return listAfter(accountCode, sequence, limit)
    })
    asked.set(key, reading)
    return reading
  }
}
