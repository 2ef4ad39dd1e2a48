import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { BoundLog } from '../../../src/bound-log.ts'
import type { QueuedEnd } from '../../../src/domain/queue/queue-store.ts'
import { createRunningRuns } from '../../../src/domain/queue/running-runs.ts'
import { createRunRecorder } from '../../../src/domain/runs/record-runs.ts'
import { queuedRun } from '../../store/runs/queued-run.ts'

const leaseMs = 15_000
const run = { ...queuedRun(), accountCode: 'a', id: 1, attempt: 1, holder: 'one' }
const live = { id: 1, name: 'notify', caseTypeCode: null, hash: 'a'.repeat(64), sourceCode: 'exit(1)' }

/** The attempts of a gateway whose script takes `scriptMs` before its only call, and its start `lookUpMs`. */
function startRuns() {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const recorder = createRunRecorder({
    store: { write: async () => undefined },
    ...{ gateway: 'g', hideSecrets: text => text, onError: () => expect.unreachable() },
  })
  const seen = { begun: 0, called: 0, ends: [] as QueuedEnd['end']['kind'][], stops: [] as unknown[] }
  const times = { lookUpMs: 0, scriptMs: 0 }
  const running = createRunningRuns({
    store: { renew: async () => [] },
    scripts: {
      async run(_script, { signal }, settings) {
        signal.addEventListener('abort', () => seen.stops.push(signal.reason.why))
        seen.begun += 1
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
    ...{ log: new BoundLog(pino({ enabled: false })), tracing: null, hideSecrets: text => text, leaseMs },
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
  return { seen, runWith }
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
