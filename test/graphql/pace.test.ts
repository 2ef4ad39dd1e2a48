import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
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
    expect.stringContaining('An operation of more than'),
  ])
  expect(
    (await app.graphql(`query ($i: [ID!]! = [1]) { ${large} x: teamMemberships(ids: $i) { id } }`)).status,
  ).toBe(400)
})

test('wrong variables are refused as usual', async () => {
  const query = `query ($ids: [ID!]!, $yes: Boolean!) { teamMemberships(ids: $ids) { ${aliases(50)}
    user @skip(if: $yes) { id } } }`
  const { body } = await app.graphql(query, { ids, yes: 'no' })
  expect(body.errors[0].message).toContain('Variable "$yes" got invalid value')
})
