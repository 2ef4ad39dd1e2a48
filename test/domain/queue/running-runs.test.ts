import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BoundLog } from '../../../src/bound-log.ts'
import type { QueuedEnd, QueueStore } from '../../../src/domain/queue/queue-store.ts'
import { createRunningRuns } from '../../../src/domain/queue/running-runs.ts'
import { createRunRecorder } from '../../../src/domain/runs/record-runs.ts'
import { queuedRun } from '../../store/runs/queued-run.ts'

const leaseMs = 15_000
const run = { ...queuedRun(), accountCode: 'a', id: 1, attempt: 1, holder: 'one' }
const live = { id: 1, name: 'notify', caseTypeCode: null, hash: 'a'.repeat(64), sourceCode: 'exit(1)' }

interface Gateway {
  readonly renew?: QueueStore['renew']
  readonly renewEveryMs?: number
  /** True for scripts that run until they are stopped. */
  readonly isEndless?: boolean
}

/** The attempts of a gateway whose script takes `scriptMs` before its only call, and its start `lookUpMs`. */
function startRuns({ renew = async () => [], renewEveryMs = leaseMs / 3, isEndless = false }: Gateway = {}) {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const recorder = createRunRecorder({
    store: { write: async () => undefined },
    ...{ gateway: 'g', hideSecrets: text => text, onError: () => expect.unreachable() },
  })
  const seen = { begun: 0, called: 0, ends: [] as QueuedEnd['end']['kind'][], stops: [] as unknown[] }
  const times = { lookUpMs: 0, scriptMs: 0 }
  const running = createRunningRuns({
    store: { renew },
    scripts: {
      async run(_script, { signal }, settings) {
        signal.addEventListener('abort', () => seen.stops.push(signal.reason.why))
        seen.begun += 1
        if (isEndless) await new Promise(resolve => signal.addEventListener('abort', resolve))
        vi.advanceTimersByTime(times.scriptMs)
        settings?.checkLease?.()
        seen.called += 1
        throw new Error('It ends')
      },
    },
    async findLive() {
      vi.advanceTimersByTime(times.lookUpMs)
      return live
    },
    finish: async (_run, { kind }) => void seen.ends.push(kind),
    ...{ log: new BoundLog(pino({ enabled: false })), tracing: null, hideSecrets: text => text },
    leaseMs: renewEveryMs * 3,
    ...{ deferRuns: recorder.defer, retryAfterMs: () => 1, onError: () => undefined, onEnd: () => undefined },
  })
  onTestFinished(async () => {
    running.close()
    await recorder.close()
  })
  async function runWith(next: Partial<typeof times>): Promise<void> {
    Object.assign(times, next)
    const claimedAt = performance.now()
    const functionId = times.lookUpMs + times.scriptMs
    running.begin({ run: { ...run, functionId }, claimedAt, leasedUntil: claimedAt + leaseMs })
    await Promise.all(running.ends)
  }
  return { seen, runWith, running }
}

test('a run whose lease ended before its script began does not begin', async () => {
  const { seen, runWith } = startRuns()
  for (const lookUpMs of [leaseMs - 1, leaseMs]) await runWith({ lookUpMs })
  expect(seen).toMatchObject({ begun: 1, ends: ['again', 'released'] })
})

test('a run whose lease ended before a call of its script makes no call and is released', async () => {
  const { seen, runWith } = startRuns()
  for (const scriptMs of [leaseMs - 1, leaseMs]) await runWith({ scriptMs })
  const stops = ['was ended because its gateway could not keep the run']
  expect(seen).toEqual({ begun: 2, called: 1, ends: ['again', 'released'], stops })
})

test('the lease of the next attempt does not keep the attempt before, at the same gateway', async () => {
  const renew: QueueStore['renew'] = async (_account, held) => held.filter(({ holder }) => holder === 'two')
  const { seen, running } = startRuns({ renew, renewEveryMs: 10, isEndless: true })
  const claimedAt = performance.now()
  const ready = { claimedAt, leasedUntil: claimedAt + leaseMs }
  running.begin({ run, ...ready })
  running.begin({ run: { ...run, attempt: 2, holder: 'two' }, ...ready })
  await expect.poll(() => seen.ends).toEqual(['released'])
  expect(seen.stops).toEqual(['was ended because its gateway could not keep the run'])
  running.stop()
  await Promise.all(running.ends)
})
