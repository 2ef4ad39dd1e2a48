import { beforeAll, describe, expect, test } from 'vitest'
import { addMembership } from '../../server/clients/memberships.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
}

let server: SharedServer
let ids: string[]

beforeAll(async () => {
  server = await shareServer()
  const rows = []
  for (let team = 1; team <= 5; team += 1)
    rows.push(await addMembership(server, { user_id: 7, team_id: team }))
  await addMembership(server, { user_id: 8, team_id: 1 })
  ids = rows.map(row => String(row.id))
})

async function page(parent: string, args: string) {
  const answer = await server.graphql<{ parent: { memberships: Connection } }>(
    `{ parent: ${parent} { memberships${args} {
      edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
  )
  const connection = answer.body.data?.parent.memberships
  return {
    ids: connection?.edges.map(edge => edge.node.id),
    info: connection?.pageInfo,
    code: answer.body.errors?.[0]?.extensions.code,
  }
}

describe('User.memberships', () => {
  test('gives all of a short list, ascending, with no page before or after', async () => {
    const all = await page('user(id: "7")', '')
    expect(all.ids).toEqual(ids)
    expect(all.info).toMatchObject({ hasNextPage: false, hasPreviousPage: false })
  })

  test('pages forward through every membership once', async () => {
    const first = await page('user(id: "7")', '(first: 2)')
    expect(first.ids).toEqual(ids.slice(0, 2))
    expect(first.info?.hasNextPage).toBe(true)
    const second = await page('user(id: "7")', `(first: 2, after: "${first.info?.endCursor}")`)
    expect(second.ids).toEqual(ids.slice(2, 4))
    expect(second.info?.hasNextPage).toBe(true)
    const third = await page('user(id: "7")', `(first: 2, after: "${second.info?.endCursor}")`)
    expect(third.ids).toEqual(ids.slice(4))
    expect(third.info?.hasNextPage).toBe(false)
  })

  test('a full last page knows that nothing follows', async () => {
    expect((await page('user(id: "7")', '(first: 5)')).info?.hasNextPage).toBe(false)
  })

  test('pages backward through every membership once, each page ascending', async () => {
    const last = await page('user(id: "7")', '(last: 2)')
    expect(last.ids).toEqual(ids.slice(3))
    expect(last.info?.hasPreviousPage).toBe(true)
    const before = await page('user(id: "7")', `(last: 3, before: "${last.info?.startCursor}")`)
    expect(before.ids).toEqual(ids.slice(0, 3))
    expect(before.info?.hasPreviousPage).toBe(false)
  })

  test('pages two parents of one document each by its own list', async () => {
    const answer = await server.graphql<Record<'a' | 'b', { memberships: Connection }>>(
      `{ a: user(id: "7") { memberships(first: 1) { edges { node { id } } pageInfo { hasNextPage } } }
         b: user(id: "8") { memberships(first: 1) { edges { node { id } } pageInfo { hasNextPage } } } }`,
    )
    expect(answer.body.data?.a.memberships.pageInfo.hasNextPage).toBe(true)
    expect(answer.body.data?.b.memberships.pageInfo.hasNextPage).toBe(false)
    expect(answer.body.data?.b.memberships.edges).toHaveLength(1)
  })
})

describe('Team.memberships', () => {
  test('gives the members of the team alone', async () => {
    const answer = await server.graphql<{ team: { memberships: { edges: { node: unknown }[] } } }>(
      '{ team(id: "1") { memberships { edges { node { userId teamId user { id } } } } } }',
    )
    expect(answer.body.data?.team.memberships.edges.map(edge => edge.node)).toEqual([
      { userId: '7', teamId: '1', user: { id: '7' } },
      { userId: '8', teamId: '1', user: { id: '8' } },
    ])
  })
})

test.each(['(first: -1)', '(last: -1)', '(after: "nonsense")', '(before: "!")', '(first: 100000)'])(
  'the arguments %s are BAD_USER_INPUT',
  async args => {
    expect((await page('user(id: "7")', args)).code).toBe('BAD_USER_INPUT')
  },
)
