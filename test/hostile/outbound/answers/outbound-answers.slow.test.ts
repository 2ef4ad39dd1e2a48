import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { headersOfCalls } from '../../../server/gateways/start-upstream.ts'
import { contents } from './answer-contents.ts'
import { framings } from './answer-framings.ts'
import { type AnswerStage, startAnswerStage } from './answer-stage.ts'
import { statuses } from './answer-statuses.ts'

let stage: AnswerStage

beforeAll(async () => {
  stage = await startAnswerStage()
})
afterAll(() => stage.stop())

describe.each([
  ['a status or a header', statuses],
  ['a framing', framings.filter(({ gives }) => gives !== 'waits')],
  ['a content', contents],
] as const)('%s', (_, list) => {
  test.each(list)('$title', async answer => {
    const { host, canary } = stage
    const requests = host.requests.length
    const { payload, error } = await stage.ask(answer)

    expect(error).toBe(null)
    if (answer.gives === 'waits') throw new Error('This one is among the others')
    if ('json' in answer.gives) expect(payload).toEqual({ json: answer.gives.json, polluted: false })
    else expect(payload?.message).toContain(`graphql: ${answer.gives.message}`)
    expect(host.requests.length - requests).toBe(1)
    expect(canary.connections()).toBe(0)
    expect(await stage.isClosed()).toBe(true)
    expect((await stage.server.observe()).newPrototypeKeys).toEqual([])
  })
})

test.concurrent.each(framings.filter(({ gives }) => gives === 'waits'))(
  '$title: the deadline ends the run, and the connection with it',
  async answer => {
    // On a busy machine a run may get no sandbox within its time: it is refused, and sent again.
    let execution: Awaited<ReturnType<AnswerStage['ask']>> | undefined
    while (execution === undefined) execution = await stage.ask(answer)
    expect(execution.error?.code).toBe('TIMEOUT')
  },
)

test('no connection is left, none was made to anybody else, and no cookie ever came back', async () => {
  const { host, canary } = stage
  expect(await stage.isClosed()).toBe(true)
  expect(canary.connections()).toBe(0)
  expect(host.connections()).toBe(host.requests.length)
  for (const { head } of host.requests) {
    expect(head[0]).toMatch(/^POST \/\d+ HTTP\/1\.1$/)
    expect(
      head
        .slice(1)
        .map(line => line.split(':')[0]?.toLowerCase())
        .toSorted(),
    ).toEqual(headersOfCalls)
  }
})
