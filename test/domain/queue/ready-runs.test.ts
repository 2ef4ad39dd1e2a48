import { expect, onTestFinished, test, vi } from 'vitest'
import type { ClaimedRun } from '../../../src/domain/queue/queue-store.ts'
import { ReadyRuns } from '../../../src/domain/queue/ready-runs.ts'
import { queuedRun } from '../../store/runs/queued-run.ts'

const claimed = (accountCode: string, id: number): ClaimedRun => ({
  ...queuedRun(),
  ...{ accountCode, id, attempt: 1, holder: 'one' },
})
const idsOf = (runs: readonly ClaimedRun[]) => runs.map(({ accountCode, id }) => `${accountCode}${id}`)
const start = (leaseMs = 15_000) => new ReadyRuns(leaseMs)

test('accounts take turns, and runs of one account keep their order', () => {
  const ready = start()
  for (const id of [1, 2, 3]) ready.add(claimed('a', id), 15_000)
  ready.add(claimed('b', 1), 15_000)
  const taken = [1, 2, 3, 4].flatMap(() => ready.take(() => true)?.run ?? [])
  expect(idsOf(taken)).toEqual(['a1', 'b1', 'a2', 'a3'])
  expect(ready.take(() => true)).toBeUndefined()
})

test('only as many runs are claimed ahead as begin within 50 ms, up to 16', () => {
  const ready = start()
  expect(ready.aheadOf(4)).toBe(0)
  ready.count(20)
  expect(ready.aheadOf(4)).toBe(10)
  expect(ready.aheadOf(40)).toBe(16)
  for (let count = 0; count < 50; count++) ready.count(1_000)
  expect(ready.aheadOf(4)).toBe(0)
})

test('runs that get no sandbox in time are late, each from its own claim on', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const ready = start(90)
  ready.add(claimed('a', 1), 15_000)
  vi.advanceTimersByTime(20)
  ready.add(claimed('b', 1), 15_000)
  expect(ready.takeLate()).toEqual([])
  vi.advanceTimersByTime(10)
  expect(idsOf(ready.takeLate())).toEqual(['a1'])
  vi.advanceTimersByTime(19)
  expect(ready.takeLate()).toEqual([])
  vi.advanceTimersByTime(1)
  expect(idsOf(ready.takeLate())).toEqual(['b1'])
  expect([ready.take(() => true), ready.lateAt]).toEqual([undefined, Number.POSITIVE_INFINITY])
})

test('after a run was late, none are claimed ahead until some runs were short', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const ready = start()
  ready.count(2)
  ready.add(claimed('a', 1), 15_000)
  expect(ready.aheadOf(1)).toBe(16)
  vi.advanceTimersByTime(250)
  expect(idsOf(ready.takeLate())).toEqual(['a1'])
  const ahead = Array.from({ length: 12 }, () => {
    ready.count(2)
    return ready.aheadOf(1)
  })
  expect([ahead[0], ahead.at(-1)]).toEqual([0, 2])
})
