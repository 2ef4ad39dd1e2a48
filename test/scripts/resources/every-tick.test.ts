import { afterEach, expect, test, vi } from 'vitest'

type Module = typeof import('../../../src/scripts/resources/every-tick.ts')

// All checks share a timer, so the test has a module of its own. To reset the modules would break the next test files:
// those of a worker share its modules, and Pothos takes a plugin only once.
const ownModule = '../../../src/scripts/resources/every-tick.ts?own'

afterEach(() => {
  vi.useRealTimers()
})

// A request that takes long to handle keeps the gateway from what a sandbox sends meanwhile.
test('the time of a check is one by which all that was sent has been read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const { everyTick }: Module = await import(ownModule)
  const times: number[] = []
  const startedAt = performance.now()
  everyTick(now => times.push(now - startedAt))
  vi.advanceTimersByTime(20)
  vi.advanceTimersByTime(19)
  await new Promise(setImmediate)
  expect(times).toEqual([20])
})
