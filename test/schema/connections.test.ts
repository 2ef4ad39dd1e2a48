import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { by } from '../store/databases/origin.ts'

let app: TestApp
const ids: string[] = []

beforeAll(async () => {
  app = await startApp()
  for (let team = 1; team <= 7; team += 1) {
    const result = await app.app.store.memberships.add(by('demo'), { userId: 1, teamId: team })
    if (result.kind === 'added') ids.push(String(result.membership.id))
  }
})

afterAll(() => app.close())

interface PageInfo {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

async function ask(given: Record<string, unknown>) {
  const query = `query ($first: Int, $after: String, $last: Int, $before: String) {
    user(id: 1) { memberships(first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    } }
  }`
  const { body } = await app.graphql(query, given)
  return { connection: body.data?.user.memberships, error: body.errors?.[0] }
}

async function page(given: Record<string, unknown>): Promise<{ ids: string[]; pageInfo: PageInfo }> {
  const { connection } = await ask(given)
  const nodes = connection.nodes.map(({ id }: { id: string }) => id)
  expect(connection.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(nodes)
  expect(connection.pageInfo.startCursor).toBe(connection.edges[0]?.cursor ?? null)
  expect(connection.pageInfo.endCursor).toBe(connection.edges.at(-1)?.cursor ?? null)
  return { ids: nodes, pageInfo: connection.pageInfo }
}

test('paging forwards gives every membership once and in order', async () => {
  const seen: string[] = []
  let after: string | null = null
  const more: boolean[] = []
  do {
    const { ids: some, pageInfo } = await page({ first: 3, after })
    expect(pageInfo.hasPreviousPage).toBe(after !== null)
    seen.push(...some)
    more.push(pageInfo.hasNextPage)
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null
  } while (after !== null)
  expect(seen).toEqual(ids)
  expect(more).toEqual([true, true, false])
})

test('so does paging backwards', async () => {
  const seen: string[] = []
  let before: string | null = null
  const more: boolean[] = []
  do {
    const { ids: some, pageInfo } = await page({ last: 3, before })
    expect(pageInfo.hasNextPage).toBe(before !== null)
    seen.unshift(...some)
    more.push(pageInfo.hasPreviousPage)
    before = pageInfo.hasPreviousPage ? pageInfo.startCursor : null
  } while (before !== null)
  expect(seen).toEqual(ids)
  expect(more).toEqual([true, true, false])
})

test('a page that fits exactly has no next page', async () => {
  expect((await page({ first: 7 })).pageInfo.hasNextPage).toBe(false)
  expect((await page({ last: 7 })).pageInfo.hasPreviousPage).toBe(false)
})

test('between two cursors only the memberships between them are counted', async () => {
  const { connection } = await ask({})
  const [first, , , , fifth] = connection.edges
  expect((await page({ after: first.cursor, before: fifth.cursor })).ids).toEqual(ids.slice(1, 4))
  expect((await page({ first: 2, after: first.cursor, before: fifth.cursor })).ids).toEqual(ids.slice(1, 3))
  expect((await page({ last: 2, after: first.cursor, before: fifth.cursor })).ids).toEqual(ids.slice(2, 4))
})

test('an empty page still says whether there are more items', async () => {
  expect(await page({ first: 0 })).toEqual({
    ids: [],
    pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: null, endCursor: null },
  })
})

test('a team has its own members', async () => {
  const { body } = await app.graphql(
    '{ team(id: 3) { memberships { nodes { userId } pageInfo { hasNextPage } } } }',
  )
  expect(body.data.team.memberships).toEqual({ nodes: [{ userId: '1' }], pageInfo: { hasNextPage: false } })
})

test('a user who has left every team has an empty page without cursors', async () => {
  const added = await app.app.store.memberships.add(by('demo'), { userId: 900, teamId: 900 })
  if (added.kind === 'added') await app.app.store.memberships.remove(by('demo'), added.membership.id, null)
  const { body } = await app.graphql(
    '{ user(id: 900) { memberships { nodes { id } pageInfo { hasNextPage endCursor } } } }',
  )
  expect(body.data.user.memberships).toEqual({ nodes: [], pageInfo: { hasNextPage: false, endCursor: null } })
})

describe('invalid page arguments are BAD_USER_INPUT and fail only the page', () => {
  test.each([
    [{ first: -1 }, 'first'],
    [{ last: -1 }, 'last'],
    [{ first: 1_001 }, '1000'],
    [{ last: 1_001 }, '1000'],
    [{ first: 1, last: 1 }, 'not both'],
    [{ after: '' }, 'after'],
    [{ after: 'nonsense' }, 'after'],
    [{ before: '!' }, 'before'],
    [{ before: Buffer.from('membership:0').toString('base64url') }, 'before'],
    [{ after: Buffer.from('membership:1e3').toString('base64url') }, 'after'],
    [{ after: `${Buffer.from('membership:1').toString('base64url')}=` }, 'after'],
  ])('%j', async (given, word) => {
    const { connection, error } = await ask(given)
    expect(connection).toBeNull()
    expect(error.extensions.code).toBe('BAD_USER_INPUT')
    expect(error.message).toContain(word)
  })
})

test('a page has 100 items by default, and up to 1,000', async () => {
  for (let team = 1_000; team < 1_150; team += 1) {
    await app.app.store.memberships.add(by('demo'), { userId: 2, teamId: team })
  }
  const count = async (args: string) => {
    const { body } = await app.graphql(`{ user(id: 2) { memberships${args} { nodes { id } } } }`)
    return body.data.user.memberships.nodes.length
  }
  expect(await count('')).toBe(100)
  expect(await count('(first: 1000)')).toBe(150)
  expect(await count('(before: null)')).toBe(100)
})
