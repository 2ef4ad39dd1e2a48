import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ScriptCalls } from '../../../src/scripts/calls/script-calls.ts'
import type { SandboxProcess } from '../../../src/scripts/launch/sandbox-process.ts'
import { runLimits } from '../launch/start-sandbox.ts'

function startCalls(limits: Partial<typeof runLimits> = {}) {
  const asked: number[] = []
  const told: string[] = []
  const answer = Promise.withResolvers<string>()
  const calls = new ScriptCalls({
    limits: { ...runLimits, ...limits },
    answer({ id }) {
      asked.push(id)
      return answer.promise
    },
  })
  const sandbox = {
    kill: (reason: string) => told.push(reason),
    answer: async ({ call }: { call: number }) => told.push(`answer ${call}`),
  } as unknown as SandboxProcess
  const take = (call: number, url: string | null = null) =>
    calls.take({ type: 'graphql', run: 'r', call, query: 'q', variables: 'null', url }, sandbox)
  return { calls, asked, told, answer, take }
}

test('when a run ends, its waiting calls are not made and answers are not sent', async () => {
  for (const settle of ['resolve', 'reject'] as const) {
    const { calls, asked, told, answer, take } = startCalls({ graphqlCallsAtOnce: 1 })
    take(1)
    take(2)
    calls.end()
    answer[settle]('x')
    await nextTurn()
    expect([asked, told]).toEqual([[1], []])
  }
})

test('each answer lets the next call begin', async () => {
  const { asked, told, answer, take } = startCalls({ graphqlCallsAtOnce: 1 })
  take(1)
  take(2)
  expect(asked).toEqual([1])
  answer.resolve('x')
  await nextTurn()
  expect([asked, told]).toEqual([
    [1, 2],
    ['answer 1', 'answer 2'],
  ])
})

test('the url of a call counts toward its size', () => {
  const { asked, told, take } = startCalls({ graphqlCallBytes: 10 })
  take(1, 'x'.repeat(5))
  take(2, 'x'.repeat(6))
  expect([asked, told]).toEqual([[1], ['sent an invalid `graphql` call']])
})
