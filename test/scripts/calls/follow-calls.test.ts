import { expect, test } from 'vitest'
import type { Run } from '../../../src/domain/scripts/run.ts'
import type { RunFollower } from '../../../src/domain/scripts/run-follower.ts'
import type { RunCall } from '../../../src/scripts/calls/answer-call.ts'
import { CallVariables } from '../../../src/scripts/calls/call-variables.ts'
import { followCalls } from '../../../src/scripts/calls/follow-calls.ts'
import { KeptCalls } from '../../../src/scripts/calls/kept-calls.ts'
import { silentBoundLog } from '../run/start-tasks.ts'

function start(answerCall: (call: RunCall) => Promise<string> = async () => '{}') {
  const ended = new AbortController()
  const heard: string[] = []
  const calls = new KeptCalls(performance.now())
  const follower: RunFollower = {
    onCallBegun: ({ id }) => heard.push(`begun ${id}`),
    onCallEnded: ({ id, runId }) => heard.push(`ended ${id} ${runId}`),
  }
  const follow = followCalls({
    answerCall,
    follower,
    calls,
    run: { signal: ended.signal } as Run,
    log: silentBoundLog,
    onRefused: () => undefined,
  })
  const variables = new CallVariables('null', () => undefined)
  const call = (id: number) => follow({ id, query: '{ user }', variables, url: null, untilRead: () => null })
  return { ended, heard, calls, call }
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

test('of the runs that a call starts, the first is kept', async () => {
  const { heard, calls, call } = start(async ({ onRunBegun }) => {
    for (const id of ['first', 'second']) onRunBegun({ id } as Run)
    return '{}'
  })
  await call(1)
  expect([heard.at(-1), calls.entries()[0]?.runId]).toEqual(['ended 1 first', 'first'])
})
