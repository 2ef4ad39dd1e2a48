import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { by } from '../store/databases/origin.ts'

const folder = makeTempFolder()
const path = `${folder.path}/rostrum.db`
let app: TestApp
const ids: string[] = []

beforeAll(async () => {
  app = await startApp({ DATABASE_URL: `sqlite:${path}` })
  // 1,000 memberships of 50 users in 20 teams each.
  for (let user = 1; user <= 50; user += 1) {
    for (let team = 1; team <= 20; team += 1) {
      const { id } = await app.app.store.memberships
        .add(by('demo'), { userId: user, teamId: team })
        .then(requireAdded)
      ids.push(String(id))
    }
  }
})

afterAll(async () => {
  await app.close()
  folder.remove()
})

function requireAdded(result: Awaited<ReturnType<TestApp['app']['store']['memberships']['add']>>) {
  if (result.kind !== 'added') throw new Error('expected a new membership')
  return result.membership
}

// A transaction of another program, which makes all cached rows stale.
function changeFile(): void {
  const other = new Database(path)
  other.exec('update accounts set created_at = created_at + 1')
  other.close()
}

async function countStatements(query: string, variables: Record<string, unknown>) {
  changeFile()
  const before = app.statements.length
  const { status, body } = await app.graphql(query, variables)
  expect(status).toBe(200)
  expect(body.errors).toBeUndefined()
  return { body, count: app.statements.length - before, sent: app.statements.slice(before) }
}

const twice = `query ($ids: [ID!]!) {
  teamMemberships(ids: $ids) {
    id
    a: user { id email displayName } b: user { id displayName }
    c: team { id name } d: team { id }
  }
}`

test('1,000 memberships with user and team under two aliases each cost 4 statements', async () => {
  const all = await countStatements(twice, { ids })
  expect(all.body.data.teamMemberships).toHaveLength(1_000)
  expect(all.body.data.teamMemberships[999]).toMatchObject({
    a: { id: '50' },
    b: { id: '50' },
    c: { id: '20' },
  })
  // One for the credential, one each for memberships, users and teams.
  expect(all.sent).toHaveLength(4)
  const one = await countStatements(twice, { ids: ids.slice(0, 1) })
  expect(one.sent).toHaveLength(4)
})

test('cached rows are not read again while the file does not change', async () => {
  await countStatements(twice, { ids })
  const before = app.statements.length
  const { body } = await app.graphql(twice, { ids })
  expect(body.data.teamMemberships).toHaveLength(1_000)
  expect(app.statements.slice(before)).toEqual([])
})

test('adding 1,000 memberships at once, with user and team, costs as many statements as adding one', async () => {
  const query = `mutation ($items: [AddTeamMembershipInput!]!) {
    addTeamMemberships(items: $items) { applied items { teamMembership { id user { id } team { id } } } }
  }`
  const add = (count: number) =>
    countStatements(query, {
      items: Array.from({ length: count }, (_, index) => ({ userId: 100 + count, teamId: 1 + index })),
    })
  const one = await add(1)
  const all = await add(1_000)
  expect(all.body.data.addTeamMemberships.items).toHaveLength(1_000)
  expect(all.body.data.addTeamMemberships.items[999]).toMatchObject({
    teamMembership: { user: { id: '1100' }, team: { id: '1000' } },
  })
  expect(all.count).toBe(one.count)
  // One for the credential, eleven for the transaction, one each for users and teams.
  expect(all.count).toBeLessThanOrEqual(14)
})

test('connections of any number of parents cost one statement for each distinct page', async () => {
  const query = `query ($ids: [ID!]!) {
    teamMemberships(ids: $ids) {
      user { first: memberships(first: 3) { nodes { id } } last: memberships(last: 2) { nodes { id } } }
      team { memberships(first: 1) { edges { node { user { id } } } } }
    }
  }`
  const few = await countStatements(query, { ids: ids.slice(0, 2) })
  const many = await countStatements(query, { ids })
  expect(many.body.data.teamMemberships).toHaveLength(1_000)
  expect(many.count).toBe(few.count)
  expect(many.count).toBeLessThanOrEqual(8)
})

test('connections inside connections stay constant as well', async () => {
  const query = `query ($size: Int!) {
    user(id: 1) { memberships(first: $size) { nodes { team { memberships(first: $size) { nodes { user { id } } } } } } }
  }`
  const small = await countStatements(query, { size: 2 })
  const large = await countStatements(query, { size: 20 })
  expect(large.body.data.user.memberships.nodes).toHaveLength(20)
  expect(large.count).toBe(small.count)
})

test('a list of functions with versions, sources and runs costs a constant number of statements', async () => {
  const { functions } = app.app.store
  const limits = { functions: 1_000, versions: 100 }
  for (let n = 0; n < 40; n += 1) {
    const sourceCode = `exit(${n})`
    const version = { caseTypeCode: null, comment: null, makeLive: true, sourceBytes: 10, sourceCode }
    await functions.save(by('demo'), { ...version, name: `f${n}`, hash: `${n}` }, limits)
  }
  const fields = [
    'live { hash sourceCode } versions(first: 2) { edges { node { sourceCode } } }',
    'runs(first: 2) { edges { node { input parent { id } function { name } } } }',
  ]
  for (const each of fields) {
    const query = `query ($first: Int) { functions(first: $first) { edges { node { ${each} } } } }`
    const many = await countStatements(query, { first: 40 })
    expect(many.body.data.functions.edges).toHaveLength(40)
    expect((await countStatements(query, { first: 2 })).count).toBe(many.count)
    expect(many.count).toBeLessThanOrEqual(6)
  }
})
