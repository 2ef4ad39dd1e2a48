import { beforeAll, describe, expect, test } from 'vitest'
import { type FollowedEvent, type Follower, followEvents } from '../../server/clients/follow-events.ts'
import { addMembership } from '../../server/clients/memberships.ts'
import type { GraphqlBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareReplicas, shareServer } from '../../server/gateways/share-server.ts'
import { runInProcess } from '../../server/processes/run-in-process.ts'
import { until } from '../../server/processes/until.ts'

describe('SQLite', () => {
  claims(shareServer)
})

describe('PostgreSQL', () => {
  claims(async () => (await shareReplicas())[0])
})

const path = '/platform/team_memberships'

const cursorsOf = (events: readonly FollowedEvent[]) => events.map(({ cursor }) => cursor)

async function listEvents(server: SharedServer, token = server.adminToken): Promise<FollowedEvent[]> {
  const query = `query Page($after: String) {
    teamMembershipEvents(first: 100, after: $after) { nodes: edges { node { cursor kind teamMembershipId } } }
  }`
  const all: FollowedEvent[] = []
  for (;;) {
    const variables = { after: all.at(-1)?.cursor ?? null }
    const { body } = await server.graphql<{
      teamMembershipEvents: { nodes: { node: FollowedEvent }[] }
    }>(query, variables, token)
    const nodes = body.data?.teamMembershipEvents.nodes ?? []
    if (nodes.length === 0) return all
    all.push(...nodes.map(({ node }) => node))
  }
}

/** Of the account's only token. */
async function findTokenId({ settings }: SharedServer, account: string): Promise<string> {
  const { stdout } = await runInProcess('token', ['--list', '--account', account], settings)
  return /^\s*(\d+)\s/m.exec(stdout)?.[1] ?? ''
}

function claims(share: () => Promise<SharedServer>): void {
  let server: SharedServer
  beforeAll(async () => {
    server = await share()
  })

  test('a follower receives each new change in order', async () => {
    await addMembership(server)
    const follower = await followEvents(server)
    const { id } = await addMembership(server)
    await server.rest('PUT', `${path}/${id}`, { body: { team_membership: { team_id: 77 } } })
    await server.rest('PUT', `${path}/${id}`, { body: { team_membership: { team_id: 77 } } })
    await server.rest('DELETE', `${path}/${id}`)
    await expect.poll(() => follower.events).toHaveLength(3)
    expect(follower.events.map(({ kind, teamMembershipId }) => [kind, teamMembershipId])).toEqual([
      ['ADDED', String(id)],
      ['MOVED', String(id)],
      ['REMOVED', String(id)],
    ])
    expect([follower.status, follower.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    follower.cut()
  })

  test('events are read from the newest on, page by page', async () => {
    const ids = []
    for (let count = 0; count < 3; count += 1) ids.push(String((await addMembership(server)).id))
    const query = `query Newest($last: Int, $before: String) {
      teamMembershipEvents(last: $last, before: $before) {
        nodes { cursor teamMembershipId } pageInfo { hasPreviousPage startCursor } } }`
    interface Newest {
      readonly teamMembershipEvents: {
        readonly nodes: readonly { readonly teamMembershipId: string }[]
        readonly pageInfo: { readonly hasPreviousPage: boolean; readonly startCursor: string }
      }
    }
    const read = async (last: number, before: string | null) =>
      (await server.graphql<Newest>(query, { last, before })).body.data?.teamMembershipEvents
    const newest = await read(2, null)
    expect(newest?.nodes.map(({ teamMembershipId }) => teamMembershipId)).toEqual(ids.slice(1))
    expect(newest?.pageInfo.hasPreviousPage).toBe(true)
    const earlier = await read(1, newest?.pageInfo.startCursor ?? '')
    expect(earlier?.nodes.map(({ teamMembershipId }) => teamMembershipId)).toEqual(ids.slice(0, 1))
    const { body } = await server.graphql(query, { last: 1_001 })
    expect(body.errors?.[0]?.extensions?.code).toBe('BAD_USER_INPUT')
  })

  test('a stream cut and resumed twenty times while others write misses and repeats nothing', async () => {
    const token = await server.token({
      account: `${server.account}-cut`,
      scopes: ['memberships:read', 'memberships:write'],
    })
    await addMembership(server, {}, token)
    const [first] = await listEvents(server, token)
    let isWriting = true
    const writers = Array.from({ length: 4 }, async () => {
      while (isWriting) await addMembership(server, {}, token)
    })
    const seen: FollowedEvent[] = first === undefined ? [] : [first]
    for (let cut = 0; cut < 20; cut += 1) {
      const follower = await followEvents(server, { after: seen.at(-1)?.cursor ?? '', token })
      await expect.poll(() => follower.events.length, { interval: 5 }).toBeGreaterThan(cut)
      follower.cut()
      await follower.ended
      seen.push(...follower.events)
    }
    isWriting = false
    await Promise.all(writers)
    const all = await listEvents(server, token)
    const follower = await followEvents(server, { after: seen.at(-1)?.cursor ?? '', token })
    await expect.poll(() => seen.length + follower.events.length).toBeGreaterThanOrEqual(all.length)
    follower.cut()
    expect(cursorsOf([...seen, ...follower.events])).toEqual(cursorsOf(all))
    expect(all.length).toBeGreaterThan(200)
  })

  test('no follower receives events of another account', async () => {
    const token = await server.token({
      account: `${server.account}-other`,
      scopes: ['memberships:read', 'memberships:write'],
    })
    const [ours, theirs] = await Promise.all([followEvents(server), followEvents(server, { token })])
    const idsOf = ({ events }: Follower) => events.map(({ teamMembershipId }) => teamMembershipId)
    const made = async (account?: string) => String((await addMembership(server, {}, account)).id)
    const [our, their] = [await made(), await made(token)]
    // Events come in order: with its own last change, each follower has received all earlier ones.
    const [ourLast, theirLast] = [await made(), await made(token)]
    await until(() => idsOf(ours).includes(ourLast) && idsOf(theirs).includes(theirLast))
    expect([idsOf(ours), idsOf(theirs)]).toEqual([
      [our, ourLast],
      [their, theirLast],
    ])
    ours.cut()
    theirs.cut()
  })

  test('a revoked token ends its stream with `UNAUTHENTICATED` before any other event', async () => {
    const account = `${server.account}-leaver`
    const token = await server.token({ account, scopes: ['memberships:read'] })
    const follower = await followEvents(server, { token })
    const id = await findTokenId(server, account)
    const writer = await server.token({ account, scopes: ['memberships:write'] })
    await addMembership(server, {}, writer)
    await expect.poll(() => follower.events).toHaveLength(1)
    await runInProcess('token', ['--revoke', id], server.settings)
    await addMembership(server, {}, writer)
    expect(await follower.ended).toBe(true)
    expect(follower.errors.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED'])
    expect(follower.events).toHaveLength(1)
  })

  test('a credential without `memberships:read` is refused in the stream', async () => {
    const token = await server.token({ account: server.account, scopes: ['memberships:write'] })
    const follower = await followEvents(server, { token })
    await follower.ended
    expect([follower.status, follower.errors[0]?.extensions.code]).toEqual([200, 'FORBIDDEN'])
    expect(follower.headers.get('www-authenticate')).toContain('scope="memberships:read"')
  })

  test.each([
    ['of another kind', 'bWVtYmVyc2hpcDox'],
    ['that is none', 'x'],
    ['of an event that there is not', Buffer.from('event:123456789').toString('base64url')],
  ])('a cursor %s is refused in the stream and in a page', async (_which, after) => {
    const follower = await followEvents(server, { after })
    await follower.ended
    expect([follower.status, follower.errors[0]?.extensions.code]).toEqual([200, 'BAD_USER_INPUT'])
    expect(follower.errors[0]?.message).toContain('`after`')
    // Of which a subscription has neither.
    expect(follower.errors[0]?.message).not.toMatch(/connection|edges/)
    const query = 'query Page($after: String) { teamMembershipEvents(after: $after) { nodes { cursor } } }'
    const { body } = await server.graphql(query, { after })
    expect(body.errors?.[0]?.message).toBe(follower.errors[0]?.message)
  })

  test.each([
    'subscription { teamMembershipChanged @skip(if: true) { cursor } }',
    'subscription { ... @include(if: false) { teamMembershipChanged { cursor } } }',
    'subscription { ...Part @skip(if: true) } fragment Part on Subscription { teamMembershipChanged { cursor } }',
    'subscription { ...Part } fragment Part on Subscription { teamMembershipChanged @skip(if: true) { cursor } }',
  ])('a subscription to nothing is a fault of its document: %s', async query => {
    const accept = { accept: 'application/graphql-response+json, text/event-stream;q=0.5' }
    const { status, text } = await server.rest('POST', '/graphql', { body: { query }, headers: accept })
    expect([status, text]).toEqual([400, expect.stringContaining('cannot be under `@')])
    const stream = await server.rest('POST', '/graphql', {
      body: { query },
      headers: { accept: 'text/event-stream' },
    })
    expect(stream.text).toContain('BAD_USER_INPUT')
  })

  test('a GET request can follow too', async () => {
    const query = encodeURIComponent('subscription { teamMembershipChanged { cursor } }')
    const headers = { authorization: `Bearer ${server.adminToken}`, accept: 'text/event-stream' }
    const leaving = new AbortController()
    const { signal } = leaving
    const response = await fetch(`${server.baseUrl}/graphql?query=${query}`, { headers, signal })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    leaving.abort()
  })

  test('a subscription is refused with 406 where no stream is taken, and refused to scripts', async () => {
    const query = 'subscription { teamMembershipChanged { cursor } }'
    const { status, body } = await server.graphql(query)
    expect([status, body.errors?.[0]?.extensions.code]).toEqual([406, 'BAD_USER_INPUT'])
    const get = await server.rest<GraphqlBody>('GET', `/graphql?query=${encodeURIComponent(query)}`)
    expect([get.status, get.body.errors?.[0]?.message]).toEqual([406, body.errors?.[0]?.message])
    const run = await server.execute<string>(`graphql('${query}').then(exit, error => exit(error.message))`)
    expect(run.body.task_execution.payload).toContain('text/event-stream')
  })
}
