import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
})

// A request that takes long to handle keeps the gateway from what a sandbox sends meanwhile.
test('the time of a check is one by which all that was sent has been read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  // All checks share a timer, so this test has a module of its own.
  vi.resetModules()
  const { everyTick } = await import('../../../src/scripts/resources/every-tick.ts')
  const times: number[] = []
  const startedAt = performance.now()
  everyTick(now => times.push(now - startedAt))
  vi.advanceTimersByTime(20)
  vi.advanceTimersByTime(19)
  await new Promise(setImmediate)
  expect(times).toEqual([20])
  vi.resetModules()
})
