import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BoundLog } from '../../../src/bound-log.ts'
import type { QueueStore } from '../../../src/domain/queue/queue-store.ts'
import { startQueueWork } from '../../../src/domain/queue/work-queue.ts'
import { createRunRecorder } from '../../../src/domain/runs/record-runs.ts'
import { RostrumError } from '../../../src/errors.ts'

const unused = () => expect.unreachable()

/** The queued work of a gateway with one free sandbox, whose store has a due run and refuses the first claim. */
function startWork() {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const recorder = createRunRecorder({
    store: { write: async () => undefined },
    ...{ gateway: 'g', hideSecrets: text => text, onError: unused },
  })
  const seen = { claims: 0, looks: 0, errors: 0 }
  let isDue = true
  const store: Partial<QueueStore> = {
    async claim() {
      seen.claims += 1
      if (seen.claims === 1) throw new RostrumError('UNAVAILABLE', 'It is away.')
      isDue = false
      return { runs: [], nextInMs: null, leftOut: [], dead: [] }
    },
    async nextInMs() {
      seen.looks += 1
      return isDue ? 0 : null
    },
    ...{ finishAttempts: unused, endLeases: async () => undefined, onQueued: () => () => undefined },
  }
  const work = startQueueWork({
    store: store as QueueStore,
    capacity: {
      ...{ free: () => 1, freeOf: () => 1, fullAccounts: () => [] },
      ...{ want: () => undefined, grow: () => undefined, onFree: () => undefined },
    },
    ...{
      scripts: { run: unused },
      findLive: unused,
      deferRuns: recorder.defer,
      leaseMs: 15_000,
      retryMs: [],
    },
    ...{ log: new BoundLog(pino({ enabled: false })), tracing: null, hideSecrets: text => text },
    ...{ onDead: () => undefined, onError: () => void seen.errors++ },
  })
  onTestFinished(async () => {
    await work.close()
    await recorder.close()
  })
  return seen
}

/** Lets this time pass, with what it wakes. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    vi.advanceTimersByTime(10)
    await setImmediate()
    await setImmediate()
  }
}

test('after a claim that the store refused, the due run is claimed half a second later', async () => {
  const seen = startWork()
  await pass(100)
  expect(seen).toEqual({ claims: 1, looks: 1, errors: 1 })
  await pass(500)
  expect(seen).toEqual({ claims: 2, looks: 2, errors: 1 })
})
