import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EndedAttempts } from '../../../src/domain/queue/ended-attempts.ts'
import { createRunRecorder } from '../../../src/domain/runs/record-runs.ts'
import type { RunRow } from '../../../src/domain/runs/run-store.ts'
import { errorWithoutPosition } from '../../../src/domain/scripts/run.ts'
import { makeCause } from '../../../src/domain/scripts/run-cause.ts'
import type { RunEnd } from '../../../src/domain/scripts/run-record.ts'
import { RostrumError } from '../../../src/errors.ts'
import { JsonText } from '../../../src/json/json-text.ts'
import { queuedRun } from '../../store/runs/queued-run.ts'

const run = { ...queuedRun(), accountCode: 'a', id: 1, attempt: 1, holder: 'one' }
const start = {
  ...{ runId: randomUUID(), accountCode: 'a', name: 'f', txnId: randomUUID(), txnSource: 'hook|-/f|now' },
  ...{ parentRunId: null, byUserId: null, scopes: [], startedAt: 0, input: '{}', writeOptions: () => '{}' },
  ...{ sourceCode: null, bytes: 2, cause: makeCause({ trigger: 'hook' }) },
}
const end: RunEnd = {
  ...{ outcome: 'exit' as const, message: null, error: null, payload: new JsonText('1'), payloadBytes: 1 },
  ...{ logs: [], calls: [], durationMs: 1 },
}

/** A recorder whose store adds the rows that it gets to `written`. */
const startRecorder = (written: RunRow[] = []) =>
  createRunRecorder({
    store: { write: async (_accountCode, _gateway, { inserts }) => void written.push(...inserts) },
    ...{ gateway: 'g', hideSecrets: text => text, onError: () => expect.unreachable() },
  })

test('the run of an attempt whose end cannot be written before its lease ends is kept as lost', async () => {
  const written: RunRow[] = []
  const recorder = startRecorder(written)
  const attempts = new EndedAttempts({
    store: { finishAttempts: () => Promise.reject(new RostrumError('UNAVAILABLE', 'It is away.')) },
    ...{ leaseMs: 0, onDead: () => expect.unreachable(), onError: () => undefined },
  })
  const held = recorder.defer()
  held.begin(start).end(end)
  const ended = attempts.add(run, { kind: 'done' }, held)
  expect(await attempts.write('a', null)).toBeNull()
  await ended
  await recorder.close()
  expect(written).toMatchObject([{ runId: start.runId, state: 'lost', outcome: 'exit' }])
})

test('a run is not reported as dead if another attempt of it has ended', async () => {
  const ended = [{ id: run.id, holder: 'another' }]
  const attempts = new EndedAttempts({
    store: { finishAttempts: async () => ({ ended, nextInMs: null, claim: null }) },
    ...{
      leaseMs: 15_000,
      onDead: dead => expect(dead).toEqual([]),
      onError: error => expect(error).toBeNull(),
    },
  })
  const recorder = startRecorder()
  const error = errorWithoutPosition('RUNTIME', 'No.')
  const written = attempts.add(run, { kind: 'dead', error }, recorder.defer())
  expect(await attempts.write('a', null)).toMatchObject({ ended })
  await written
  await recorder.close()
})

test('a dead run is reported, although the answer of the write was lost', async () => {
  const recorder = startRecorder()
  const dead: string[] = []
  let isFirst = true
  const attempts = new EndedAttempts({
    store: {
      async finishAttempts() {
        if (!isFirst) return { ended: [], nextInMs: null, claim: null }
        isFirst = false
        throw new RostrumError('UNAVAILABLE', 'The answer was lost.')
      },
    },
    ...{
      leaseMs: 15_000,
      onDead: runs => dead.push(...runs.map(({ code }) => code)),
      onError: () => undefined,
    },
  })
  const ended = attempts.add(
    run,
    { kind: 'dead', error: errorWithoutPosition('RUNTIME', 'No.') },
    recorder.defer(),
  )
  expect(await attempts.write('a', null)).toBeNull()
  expect(dead).toEqual([])
  await attempts.write('a', null)
  await ended
  await recorder.close()
  expect(dead).toEqual(['RUNTIME'])
})
