import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createContextFactory, type OperationServices } from '../../src/context.ts'
import { createMemberships } from '../../src/domain/memberships/memberships.ts'
import { RostrumError } from '../../src/errors.ts'
import { createEngine } from '../../src/graphql/engine.ts'
import { schema } from '../../src/schema/index.ts'
import { createLoaders } from '../../src/store/batch-loaders.ts'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { callerOf, silentBoundLog } from '../scripts/run/start-tasks.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

const folder = makeTempFolder()
const path = `${folder.path}/rostrum.db`
let app: TestApp
let turns = 0

beforeAll(async () => {
  app = await startApp({ DATABASE_URL: `sqlite:${path}` })
  const items = Array.from({ length: 1_000 }, (_, index) => ({ userId: index + 1, teamId: (index % 50) + 1 }))
  await app.graphql(
    'mutation ($items: [AddTeamMembershipInput!]!) { addTeamMemberships(items: $items) { applied } }',
    { items },
  )
})
afterAll(async () => {
  await app.close()
  folder.remove()
})

const ids = Array.from({ length: 1_000 }, (_, index) => index + 1)
const aliases = (count: number) => Array.from({ length: count }, (_, index) => `a${index}: id`).join(' ')

// How often the event loop ran other work during the execution.
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work().finally(() => {
    isOver = true
  })
  return turns
}

test('an operation at the bound of cost is answered in pieces, and as a small one is', async () => {
  const query = `query ($ids: [ID!]!) { teamMemberships(ids: $ids) { ${aliases(97)} user { id } } }`
  let data: Record<string, unknown>[] = []
  const pieces = await countTurns(async () => {
    data = (await app.graphql(query, { ids })).body.data.teamMemberships
  })
  expect(pieces).toBeGreaterThan(20)
  expect(data.map(({ a0, a96, user }) => [a0, a96, user])).toEqual(
    ids.map(id => [String(id), String(id), { id: String(id) }]),
  )
  const [first] = (await app.graphql(query, { ids: [1] })).body.data.teamMemberships
  expect(data[0]).toEqual(first)
})

test('conditions on variables and enums in them are planned as well', async () => {
  const query = `query ($ids: [ID!]!, $yes: Boolean!, $no: Boolean = false) {
    teamMemberships(ids: $ids) { ${aliases(90)} ... @include(if: $yes) { userId }
      team @skip(if: $yes) { id } leader @include(if: $no) }
  }`
  const { status, body } = await app.graphql(query, { ids, yes: true })
  expect(status).toBe(200)
  expect(Object.keys(body.data.teamMemberships[0])).toHaveLength(91)
  expect(body.data.teamMemberships[7]).toMatchObject({ userId: '8' })
})

// A transaction of another program, which makes all cached rows stale.
function changeFile(): void {
  const other = new Database(path)
  other.exec('update accounts set created_at = created_at + 1')
  other.close()
}

test('the pieces of an operation share their statements', async () => {
  const query = `query ($ids: [ID!]!) { teamMemberships(ids: $ids) { ${aliases(20)}
    user { id email } team { id name } } }`
  async function countStatements(length: number): Promise<number> {
    changeFile()
    const before = app.statements.length
    const { body } = await app.graphql(query, { ids: ids.slice(0, length) })
    expect(body.data.teamMemberships).toHaveLength(length)
    return app.statements.length - before
  }
  const ofFew = await countStatements(3)
  expect(ofFew).toBeGreaterThan(1)
  expect(await countStatements(1_000)).toBe(ofFew)
})

test('a large operation that has no plan is refused before it is executed', async () => {
  const large = `teamMemberships(ids: [${ids}]) { ${aliases(50)} }`
  const { status, body } = await app.graphql(`{ __schema { queryType { name } } ${large} }`)
  expect([status, body.errors[0].message]).toEqual([
    400,
    expect.stringContaining('An operation that costs more than'),
  ])
})

test('a large operation may have a list or an object as the default of a variable', async () => {
  const { body: listed } = await app.graphql(`query ($i: [ID!]! = [${ids}]) {
    teamMemberships(ids: $i) { ${aliases(50)} } }`)
  expect(listed.data?.teamMemberships, JSON.stringify(listed.errors)).toHaveLength(ids.length)
  const { body: runs } = await app.graphql(`query ($filter: RunFilter = { outcome: EXIT }) {
    runs(filter: $filter, first: 1000) { nodes { ${aliases(30)} } } }`)
  expect(runs).toEqual({ data: { runs: { nodes: [] } } })
  const { body: run } = await app.graphql(
    `mutation ($options: JSON = { b: [1] }) {
      saveFunction(input: { name: "echo", sourceCode: "exit(options.b)" }) { id }
      runFunction(input: { name: "echo", inputDocument: { a: 1 }, options: $options }) { outcome payload }
    }`,
  )
  expect(run.data?.runFunction, JSON.stringify(run)).toEqual({ outcome: 'EXIT', payload: [1] })
})

test('wrong variables are refused as usual', async () => {
  const query = `query ($ids: [ID!]!, $yes: Boolean!) { teamMemberships(ids: $ids) { ${aliases(50)}
    user @skip(if: $yes) { id } } }`
  const { body } = await app.graphql(query, { ids, yes: 'no' })
  expect(body.errors[0].message).toContain('Variable "$yes" got invalid value')
})

test('a large query whose client disconnects no longer waits for the place of its account', async () => {
  const { store } = app.app
  const engine = createEngine({ schema })
  const { promise: turn, resolve: giveTurn } = Promise.withResolvers<void>()
  const createContext = createContextFactory({
    services: { memberships: createMemberships(store) } as OperationServices,
    traceServices: () => expect.unreachable(),
    maxLongBytes: 1_000,
    timeoutMs: 1_000,
    confirm: async caller => caller,
    waitForTurn: () => turn,
    createLoaders: (accountCode, pace) =>
      createLoaders({ store, accountCode, pace, waitForTurn: () => turn }),
  })
  const execute = (signal: AbortSignal) =>
    engine.execute(
      { query: `query ($ids: [ID!]!) { teamMemberships(ids: $ids) { ${aliases(20)} } }`, variables: { ids } },
      createContext(
        {
          ...{ requestId: 'r', idempotencyKey: null, span: null },
          ...{ signal, log: silentBoundLog, onRun: () => undefined },
        },
        { caller: { ...callerOf('demo'), scopes: new Set(['memberships:read'] as const) }, run: null },
      ),
    )
  const slow = execute(new AbortController().signal)
  const client = new AbortController()
  const waiting = execute(client.signal)
  client.abort(new RostrumError('OVERLOADED', 'The client disconnected.'))
  expect(await waiting).toMatchObject({ refusedBy: 'gone', failures: [{ code: 'OVERLOADED' }] })
  giveTurn()
  expect((await slow).failures).toEqual([])
})
