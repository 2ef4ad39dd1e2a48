import { expect } from 'vitest'
import { findEventFaults, readStore } from './read-store.ts'
import type { RunningLoad } from './start-load.ts'

/**
 * What must be true after every fault: what was acknowledged is there, once; what clients saw has an order; no half of
 * a move was seen; each refusal says why; the events lead to the rows. Prints the figures.
 */
export async function judgeLoad(faults: string, load: RunningLoad, url: string): Promise<void> {
  await load.stop()
  const contents = await readStore(url)
  const violations = load.history.findViolations(contents.events, contents.rows)
  const eventFaults = findEventFaults(contents)
  const { operations, changes, memberships, unknown, refused } = load.history.counts()
  process.stdout.write(
    `${faults}: ${operations} operations on ${memberships} memberships, ${changes} changes acknowledged, ` +
      `${load.retries()} retries, ${unknown} of unknown outcome, ${refused} refused; ` +
      `${violations.length} memberships out of order, ` +
      `${load.halfMoves()} half moves seen, ${contents.events.length} events, ${eventFaults.length} faults in them; ` +
      `longest wait ${Math.round(load.longestMs())} ms\n`,
  )
  expect(violations).toEqual([])
  expect(load.halfMoves()).toBe(0)
  expect(eventFaults).toEqual([])
  expect(load.unclear).toEqual([])
  expect(changes).toBeGreaterThan(0)
  if (!load.isKeyed) return
  // Sent again under its key, each came to its answer, and was made once.
  expect([unknown, refused]).toEqual([0, 0])
  expect(contents.events.length).toBe(changes)
}
