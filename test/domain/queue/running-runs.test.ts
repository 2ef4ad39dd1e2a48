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

test('a run whose lease ended before its script began does not begin', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const recorder = createRunRecorder({
    store: { write: async () => undefined },
    ...{ gateway: 'g', hideSecrets: text => text, onError: () => expect.unreachable() },
  })
  let lookUpMs = 0
  let begun = 0
  const ends: QueuedEnd['end']['kind'][] = []
  const running = createRunningRuns({
    store: { renew: async () => [] },
    scripts: { run: () => Promise.reject(new Error(`begun: ${++begun}`)) },
    async findLive() {
      vi.advanceTimersByTime(lookUpMs)
      return live
    },
    finish: async (_run, { kind }) => void ends.push(kind),
    ...{ log: new BoundLog(pino({ enabled: false })), tracing: null, hideSecrets: text => text, leaseMs },
    ...{ deferRuns: recorder.defer, retryAfterMs: () => 1, onError: () => undefined, onEnd: () => undefined },
  })
  onTestFinished(async () => {
    running.close()
    await recorder.close()
  })
  for (const ms of [leaseMs - 1, leaseMs]) {
    lookUpMs = ms
    const claimedAt = performance.now()
    running.begin({ run: { ...run, functionId: ms }, claimedAt, leasedUntil: claimedAt + leaseMs })
    await Promise.all(running.ends)
  }
  expect([begun, ends]).toEqual([1, ['again', 'released']])
})
