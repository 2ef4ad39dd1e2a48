import { expect, test } from 'vitest'
import type { Run } from '../../../src/domain/scripts/run.ts'
import type { RunFollower } from '../../../src/domain/scripts/run-follower.ts'
import type { RunSettings } from '../../../src/domain/scripts/script.ts'
import type { RunCall } from '../../../src/scripts/calls/answer-call.ts'
import { CallVariables } from '../../../src/scripts/calls/call-variables.ts'
import { followCalls } from '../../../src/scripts/calls/follow-calls.ts'
import { KeptCalls } from '../../../src/scripts/calls/kept-calls.ts'
import { readScript } from '../../../src/scripts/input/read-script.ts'
import { createRun } from '../../../src/scripts/run/create-run.ts'
import { LateSignal } from '../../../src/signals/late-signal.ts'
import { runLimits } from '../launch/start-sandbox.ts'
import { callerOf, scriptOf, silentBoundLog } from '../run/start-tasks.ts'

function start(
  answerCall: (call: RunCall) => Promise<string> = async () => '{}',
  { checkLease = null }: Pick<Run, 'checkLease'> = {},
) {
  const ended = new AbortController()
  const heard: string[] = []
  const errors: (string | null)[] = []
  const calls = new KeptCalls(performance.now())
  const follower: RunFollower = {
    onCallBegun: ({ id }) => heard.push(`begun ${id}`),
    onCallEnded({ id, runId, error }) {
      heard.push(`ended ${id} ${runId}`)
      errors.push(error)
    },
  }
  const follow = followCalls({
    answerCall,
    follower,
    calls,
    run: { signal: ended.signal, checkLease } as Run,
    log: silentBoundLog,
    onRefused: () => undefined,
  })
  const variables = new CallVariables('null', () => undefined)
  const call = (id: number) => follow({ id, query: '{ user }', variables, url: null, untilRead: () => null })
  return { ended, heard, errors, calls, call }
}

test('a call that ends after its run is not reported, and is kept without an end', async () => {
  const answer = Promise.withResolvers<string>()
  const { ended, heard, calls, call } = start(() => answer.promise)
  const called = call(1)
  ended.abort()
  answer.resolve('{}')
  await called
  expect([heard, calls.entries()[0]?.durationMs]).toEqual([['begun 1'], null])
})

test('a follower hears of all calls, of which the first 100 are kept', async () => {
  const { heard, calls, call } = start()
  for (let id = 1; id <= 101; id++) await call(id)
  expect([heard.slice(-2), calls.entries().length]).toEqual([['begun 101', 'ended 101 null'], 100])
})

test('a run inside a queued run makes no call after the lease has ended', async () => {
  const checkLease = () => {
    throw new Error('The lease has ended')
  }
  const asking = { caller: callerOf('alpha'), parentRun: null, log: silentBoundLog, onRun: () => undefined }
  const parts = { script: readScript(scriptOf('exit(1)'), runLimits), limits: runLimits, startedAt: 0 }
  const { signal } = new AbortController()
  const create = (parentRun: Run | null, settings: RunSettings) =>
    createRun({ ...parts, asking: { ...asking, parentRun, signal }, settings, ended: new LateSignal() })
  const inner = create(create(null, { checkLease }), {})
  let made = 0
  const { heard, call } = start(async () => `${++made}`, inner)
  await expect(call(1)).rejects.toThrow('The lease has ended')
  expect([made, heard]).toEqual([0, []])
})

test('of the runs that a call starts, the first is kept', async () => {
  const { heard, calls, call } = start(async ({ onRunBegun }) => {
    for (const id of ['first', 'second']) onRunBegun({ id } as Run)
    return '{}'
  })
  await call(1)
  expect([heard.at(-1), calls.entries()[0]?.runId]).toEqual(['ended 1 first', 'first'])
})

test('a long error is cut between two characters', async () => {
  const { errors, call } = start(() => Promise.reject(new Error(`${'a'.repeat(999)}\u{1f600}`)))
  await expect(call(1)).rejects.toThrow()
  expect(errors).toEqual(['a'.repeat(999)])
})
