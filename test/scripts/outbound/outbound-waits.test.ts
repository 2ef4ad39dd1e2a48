import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Run } from '../../../src/domain/scripts/run.ts'
import { OutboundWaits } from '../../../src/scripts/outbound/outbound-waits.ts'
import { callerOf } from '../run/start-tasks.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => void vi.advanceTimersByTime(ms)

function runOf(accountCode: string): Run {
  return { caller: callerOf(accountCode), signal: new AbortController().signal } as Run
}

/** Begins a call that goes on until `end`, even if it is aborted. */
function beginCall(waits: OutboundWaits, run: Run) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let signal: AbortSignal | null = null
  const call = waits.during(run, given => {
    signal = given
    return promise
  })
  return {
    isPreempted: () => signal?.aborted,
    end() {
      resolve()
      return call
    },
  }
}

test('a run that has waited for a second is preempted once, with its later calls', async () => {
  const waits = new OutboundWaits()
  const run = runOf('a')
  const call = beginCall(waits, run)
  pass(999)
  expect([waits.preemptLongest(['a']), call.isPreempted()]).toEqual([false, false])
  pass(1)
  expect([waits.preemptLongest(['b']), waits.preemptLongest(['a']), call.isPreempted()]).toEqual([
    false,
    true,
    true,
  ])
  expect(waits.preemptLongest(['a'])).toBe(false)
  const later = waits.during(run, async signal => signal.throwIfAborted())
  await expect(later).rejects.toThrow('other accounts wait for a sandbox')
})

test('the waits of a run add up, and the time between them does not count', async () => {
  const waits = new OutboundWaits()
  const run = runOf('a')
  const first = beginCall(waits, run)
  pass(600)
  await first.end()
  pass(5_000)
  expect(waits.preemptLongest(['a'])).toBe(false)
  const second = beginCall(waits, run)
  pass(399)
  expect(waits.preemptLongest(['a'])).toBe(false)
  pass(1)
  await second.end()
  expect(waits.preemptLongest(['a'])).toBe(false)
  beginCall(waits, run)
  expect(waits.preemptLongest(['a'])).toBe(true)
})

test('calls of a run at the same time are one wait, from the first to the last', async () => {
  const waits = new OutboundWaits()
  const run = runOf('a')
  const first = beginCall(waits, run)
  pass(600)
  beginCall(waits, run)
  await first.end()
  pass(400)
  expect(waits.preemptLongest(['a'])).toBe(true)
})

test('the longest wait of the first account that has a long one is preempted', () => {
  const waits = new OutboundWaits()
  const [own, longest] = [beginCall(waits, runOf('c')), beginCall(waits, runOf('b'))]
  pass(500)
  const long = beginCall(waits, runOf('b'))
  pass(1_000)
  const short = beginCall(waits, runOf('a'))
  expect(waits.preemptLongest(['a', 'b', 'c'])).toBe(true)
  expect([short, long, longest, own].map(call => call.isPreempted())).toEqual([false, false, true, false])
})
