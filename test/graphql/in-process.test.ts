import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FairTurns } from '../../src/fairness/fair-turns.ts'
import { createEngine } from '../../src/graphql/engine.ts'
import { createInProcess } from '../../src/graphql/in-process.ts'
import { schema } from '../../src/schema/index.ts'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { callerOf, silentBoundLog } from '../scripts/run/start-tasks.ts'

// Twenty calls that each take a millisecond or two of the event loop and read one team. Without turns, all are executed
// at once.
const types = 'types { name fields { name type { name } } }'
const callOften = `const query = '{ team(id: 1) { id } __schema { ${types} } }'
  const calls = Array.from({ length: 20 }, () => graphql(query))`
const readsOfTeams = (statements: readonly string[]) => statements.filter(sql => /from "teams"/.test(sql))

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

test('a request of another account waits for few calls of a script', async () => {
  let isOver = false
  const callsBefore: number[] = []
  const countArrival = ({ headers }: IncomingMessage) => {
    if (headers.authorization === `Bearer ${neighbour}`) callsBefore.push(readsOfTeams(app.statements).length)
  }
  app.app.server.server.on('request', countArrival)
  const running = run(`${callOften}; await Promise.all(calls); exit('done')`).finally(() => {
    isOver = true
  })
  // The user that each reads shows its position in the order of execution.
  const ask = async () => {
    while (!isOver) await app.graphql('{ user(id: 1) { id } }', {}, neighbour)
  }
  await Promise.all(Array.from({ length: 5 }, ask))
  app.app.server.server.off('request', countArrival)
  expect((await running).payload).toBe('done')
  expect(readsOfTeams(app.statements)).toHaveLength(20)

  let calls = 0
  const waited: number[] = []
  for (const [, table] of app.statements.flatMap(sql => [...sql.matchAll(/from "(teams|users)"/g)])) {
    if (table === 'teams') calls++
    else waited.push(calls - (callsBefore[waited.length] ?? 0))
  }
  expect(waited).toHaveLength(callsBefore.length)
  expect(Math.max(...waited)).toBeLessThan(10)
})

test('a call whose run has ended by its turn is not executed', async () => {
  const turns = new FairTurns(10)
  const ended = new AbortController()
  let contexts = 0
  const call = createInProcess({
    engine: createEngine({ schema }),
    turns,
    maxLongBytes: 1_000,
    confirm: async () => undefined,
    createContext() {
      contexts++
      throw new Error('The call was executed')
    },
  })
  // Takes the turn that the call waits for.
  await turns.wait('alpha')
  const caller = callerOf('alpha')
  const run = {
    id: 'r',
    name: 'r',
    functionName: null,
    caller,
    transaction: { txnID: 't', txnSource: 's' },
    savingCases: new Set<number>(),
    generation: { number: 0, onTooDeep() {} },
    dryRun: false,
    depth: 1,
    deadline: 0,
  }
  const log = silentBoundLog
  const calling = call({
    query: '{ viewer { userId } }',
    readVariables: () => ({}),
    untilRead: () => null,
    run: { ...run, signal: ended.signal },
    onRunBegun: () => undefined,
    log,
  })
  await Promise.resolve()
  ended.abort(new Error('The run has ended'))
  await expect(calling).rejects.toThrow('The run has ended')
  expect(contexts).toBe(0)
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
