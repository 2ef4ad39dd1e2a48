import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FairTurns } from '../../src/fairness/fair-turns.ts'
import { createEngine } from '../../src/graphql/engine.ts'
import { createInProcess } from '../../src/graphql/in-process.ts'
import { schema } from '../../src/schema/index.ts'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { callerOf, silentBoundLog } from '../scripts/run/start-tasks.ts'

let app: TestApp
let script: string
let neighbour: string

beforeAll(async () => {
  app = await startApp({ ROSTRUM_SANDBOXES: '1' })
  script = await app.issueToken('script')
  neighbour = await app.issueToken('neighbour')
  await app.app.start()
  while ((await app.send('/ready', { token: null })).status !== 200) await sleep(10)
})
afterAll(() => app.close())

async function run(sourceCode: string) {
  const body = { name: 'calls', sourceCode, inputDocument: '{}', options: '{}' }
  const answer = await app.send('/api/1/endpoint/execute', { method: 'POST', token: script, body })
  return answer.body.task_execution
}

/** Calls of a run of `alpha`, in turn with whatever else waits for `turns`. A call ends when it is executed. */
function startCalls(
  turns: FairTurns,
  { signal, onExecuted }: { signal: AbortSignal; onExecuted: () => void },
) {
  const call = createInProcess({
    engine: createEngine({ schema }),
    turns,
    maxLongBytes: 1_000,
    confirm: async () => undefined,
    createContext() {
      onExecuted()
      throw new Error('The call was executed')
    },
  })
  const run = {
    id: 'r',
    name: 'r',
    functionName: null,
    caller: callerOf('alpha'),
    transaction: { txnID: 't', txnSource: 's' },
    changingCases: new Map(),
    generation: { number: 0, onTooDeep() {} },
    dryRun: false,
    depth: 1,
    deadline: 0,
    signal,
  }
  return () =>
    call({
      query: '{ viewer { userId } }',
      readVariables: () => ({}),
      untilRead: () => null,
      run,
      onRunBegun: () => undefined,
      log: silentBoundLog,
    })
}

test('calls of a script take turns with the requests of other accounts', async () => {
  // Every turn takes no time, so that accounts alternate.
  const turns = new FairTurns(10, () => 0)
  const order: string[] = []
  const { signal } = new AbortController()
  const call = startCalls(turns, { signal, onExecuted: () => order.push('call') })
  const calls = Array.from({ length: 10 }, () => call().catch(() => undefined))
  const requests = Array.from({ length: 10 }, async () => {
    await turns.wait('neighbour')
    order.push('request')
  })
  await Promise.all([...calls, ...requests])
  const pairs = order.slice(1).map((one, index) => one === order[index])
  expect(order.filter(one => one === 'call')).toHaveLength(10)
  // Two in a row at the beginning, where only one account waits, and at the end.
  expect(pairs.filter(isSame => isSame).length).toBeLessThanOrEqual(2)
})

test('a call whose run has ended by its turn is not executed', async () => {
  const turns = new FairTurns(10)
  const ended = new AbortController()
  let executed = 0
  const call = startCalls(turns, { signal: ended.signal, onExecuted: () => executed++ })
  // Takes the turn that the call waits for.
  await turns.wait('alpha')
  const calling = call()
  await Promise.resolve()
  ended.abort(new Error('The run has ended'))
  await expect(calling).rejects.toThrow('The run has ended')
  expect(executed).toBe(0)
})

test('introspection of 13 MB is refused before it is made, in process and over HTTP', async () => {
  const names = Array.from({ length: 90 }, (_, n) => `a${n}: description`).join(' ')
  const query = `{ __schema { ...s } }
    fragment s on __Schema { ${Array.from({ length: 9 }, (_, n) => `t${n}: types { ...d }`).join(' ')} }
      fragment d on __Type { ${names} }`
  const message =
    /^A request can have at most 20000 fields of introspection in its answer: ask for each part of/
  const { status, body } = await app.graphql(query, {}, neighbour)
  expect(status).toBe(400)
  expect(body.errors[0]).toMatchObject({
    message: expect.stringMatching(message),
    extensions: { code: 'BAD_USER_INPUT' },
  })
  const ended = await run(`exit(await graphql(${JSON.stringify(query)}).catch(error => error.message))`)
  expect(ended.payload).toMatch(/^graphql: the gateway answered 400: A request can have at most 20000 fields/)
})
