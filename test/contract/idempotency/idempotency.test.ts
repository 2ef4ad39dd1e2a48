import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMembership, freshId, listMemberships } from '../../server/clients/memberships.ts'
import type { MembershipBody, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { type Gate, startGate } from '../../server/processes/start-gate.ts'
import { until } from '../../server/processes/until.ts'

const path = '/platform/team_memberships'

let gate: Gate
let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
  gate = await startGate(server.urlForScripts)
})
afterAll(() => gate.close())

let lastKey = 0
const freshKey = () => `key-${++lastKey}`
const pairBody = (user_id = freshId(), team_id = freshId()) => ({ team_membership: { user_id, team_id } })

interface Write {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

function send(write: Write, key: string, options: { token?: string; headers?: Record<string, string> } = {}) {
  const { method, path, body } = write
  const headers = { 'idempotency-key': key, ...options.headers }
  return server.rest<MembershipBody & ProblemBody>(method, path, { ...options, body, headers })
}

const graphql = (query: string, variables: object = {}): Write => ({
  method: 'POST',
  path: '/graphql',
  body: { query, variables },
})

const execute = (sourceCode: string): Write => ({
  method: 'POST',
  path: '/api/1/endpoint/execute',
  body: { name: 'test', sourceCode, inputDocument: '{}', options: '{}' },
})

const writes: Readonly<Record<string, () => Promise<Write>>> = {
  'POST team_memberships': async () => ({ method: 'POST', path, body: pairBody() }),
  'PUT team_memberships': async () => {
    const { id } = await addMembership(server)
    return { method: 'PUT', path: `${path}/${id}`, body: pairBody() }
  },
  'DELETE team_memberships': async () => {
    const { id } = await addMembership(server)
    return { method: 'DELETE', path: `${path}/${id}` }
  },
  'DELETE of what is not there': async () => ({ method: 'DELETE', path: `${path}/9007199254740991` }),
  'PUT users': async () => ({
    method: 'PUT',
    path: '/platform/users/7',
    body: { user: { email: 'a@b.example' } },
  }),
  'PUT teams': async () => ({ method: 'PUT', path: '/platform/teams/7', body: { team: { name: 'Seven' } } }),
  'execute that exits': async () => execute('exit(generateGuid())'),
  'execute that fails': async () => execute('fail(generateGuid())'),
  'execute of a form': async () => ({ ...execute('exit(1)'), body: JSON.stringify(execute('exit(1)').body) }),
  addTeamMembership: async () =>
    graphql('mutation ($input: AddTeamMembershipInput!) { addTeamMembership(input: $input) { id } }', {
      input: { userId: freshId(), teamId: freshId() },
    }),
  moveTeamMembership: async () => {
    const { id } = await addMembership(server)
    return graphql(`mutation { moveTeamMembership(id: ${id}, input: { teamId: ${freshId()} }) { version } }`)
  },
  addTeamMemberships: async () =>
    graphql(
      `mutation { addTeamMemberships(items: [
        { userId: ${freshId()}, teamId: 1 }, { userId: ${freshId()}, teamId: 1 }]) { applied } }`,
    ),
  removeTeamMembership: async () => {
    const { id } = await addMembership(server)
    return graphql(`mutation { removeTeamMembership(id: ${id}) { id } }`)
  },
  'a mutation that fails': async () =>
    graphql('mutation { removeTeamMembership(id: 9007199254740991) { id } }'),
  saveUser: async () => graphql('mutation { saveUser(id: 8, input: { email: "b@b.example" }) { email } }'),
  executeTask: async () =>
    graphql(
      `mutation { executeTask(input: { name: "t", sourceCode: "exit(generateGuid())", inputDocument: "{}" }) {
        id payload } }`,
    ),
}

test.each(Object.keys(writes))('%s is answered again byte for byte', async name => {
  const write = await (writes[name]?.() ?? expect.unreachable())
  const key = freshKey()
  const first = await send(write, key)
  const second = await send(write, key)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect([second.status, second.text]).toEqual([first.status, first.text])
  for (const header of ['content-type', 'etag', 'location']) {
    expect(second.headers.get(header)).toBe(first.headers.get(header))
  }
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
})

describe('a key stands for one request', () => {
  test('so another body, path, method or `If-Match` under it is 409, and does nothing', async () => {
    const { id, user_id, team_id } = await addMembership(server)
    const key = freshKey()
    const write = { method: 'PUT', path: `${path}/${id}`, body: { team_membership: { user_id, team_id } } }
    expect((await send(write, key)).status).toBe(200)
    const others = [
      send({ ...write, body: pairBody() }, key),
      send({ ...write, path: `${path}/${id}?x` }, key),
      send({ method: 'DELETE', path: `${path}/${id}` }, key),
      send(write, key, { headers: { 'if-match': '"1"' } }),
      send(graphql(`mutation { removeTeamMembership(id: ${id}) { id } }`), key),
    ]
    for (const answer of await Promise.all(others)) {
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('used for another request')])
      expect(answer.headers.get('idempotency-replayed')).toBeNull()
    }
    expect(await listMemberships(server, [id])).toEqual([{ id, user_id, team_id, leader: null }])
  })

  test('of one account: another one has the same key for itself', async () => {
    const token = await server.token({ account: `${server.account}-beta`, scopes: ['memberships:write'] })
    const key = freshKey()
    const write = { method: 'POST', path, body: pairBody() }
    const answers = [await send(write, key), await send(write, key, { token })]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(answers[0]?.text).not.toBe(answers[1]?.text)
  })

  test('of one user with one set of rights: another gets nothing of the answer', async () => {
    const asked = { account: server.account, scopes: ['memberships:write'] } as const
    const tokens = [
      await server.token({ ...asked, email: 'ann@example.com' }),
      await server.token({ ...asked, email: 'bob@example.com' }),
      await server.token({
        ...asked,
        email: 'ann@example.com',
        scopes: ['memberships:write', 'memberships:read'],
      }),
      await server.token({ ...asked, email: 'ann@example.com' }),
    ]
    const key = freshKey()
    const write = { method: 'POST', path, body: pairBody() }
    const statuses = []
    for (const token of tokens) statuses.push((await send(write, key, { token })).status)
    expect(statuses).toEqual([201, 409, 409, 201])
  })

  test('of one user, whose e-mail address and name may change, even by the request itself', async () => {
    const account = `${server.account}-changing`
    const token = await server.token({ account, scopes: ['memberships:write'] })
    const { body } = await server.graphql<{ viewer: { userId: string } }>('{ viewer { userId } }', {}, token)
    const user = { email: 'new@example.com', display_name: 'New' }
    const write = { method: 'PUT', path: `/platform/users/${body.data?.viewer.userId}`, body: { user } }
    const key = freshKey()
    const [first, second] = [await send(write, key, { token }), await send(write, key, { token })]
    expect([second.status, second.text]).toEqual([200, first.text])
    expect(second.headers.get('idempotency-replayed')).toBe('true')
  })
})

test('of 20 at once one is executed, and all are answered the same', async () => {
  const key = freshKey()
  const body = pairBody()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => send({ method: 'POST', path, body }, key)),
  )
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(19)
  expect(answers[0]?.status).toBe(201)
})

test('others under its key cost a request that is sent again nothing', async () => {
  const key = freshKey()
  const [body, ...others] = Array.from({ length: 5 }, () => pairBody())
  const first = await send({ method: 'POST', path, body }, key)
  const isOther = (index: number) => index % 5 !== 0
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      send({ method: 'POST', path, body: isOther(index) ? others[(index % 5) - 1] : body }, key),
    ),
  )
  for (const [index, { status, text }] of answers.entries()) {
    if (isOther(index)) expect(status).toBe(409)
    else expect([status, text]).toEqual([201, first.text])
  }
})

test('of 20 executes at once one runs its script', async () => {
  const key = freshKey()
  const teamId = freshId()
  const script = execute(`await Platform.teamMemberships.add({ user_id: ${freshId()}, team_id: ${teamId} })
    await Platform.teamMemberships.add({ user_id: ${freshId()}, team_id: ${teamId} })
    exit(generateGuid())`)
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(script, key)))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]?.status).toBe(200)
})

describe('an answer is not kept', () => {
  test('after a missing scope, the key is free for a credential that has it', async () => {
    const token = await server.token({ account: server.account, scopes: ['memberships:read'] })
    for (const write of [
      { method: 'POST', path, body: pairBody() },
      graphql(`mutation { addTeamMembership(input: { userId: ${freshId()}, teamId: 1 }) { id } }`),
    ]) {
      const key = freshKey()
      expect((await send(write, key, { token })).status).toBe(403)
      const { status, headers } = await send(write, key)
      expect([status, headers.get('idempotency-replayed')]).toEqual([write.path === path ? 201 : 200, null])
    }
  })

  test('where the body could not be read: it is no request yet', async () => {
    const key = freshKey()
    expect((await send({ method: 'POST', path, body: '{' }, key)).status).toBe(400)
    expect((await send({ method: 'POST', path, body: pairBody() }, key)).status).toBe(201)
  })

  test('where no media type suits', async () => {
    const key = freshKey()
    const write = graphql(`mutation { addTeamMembership(input: { userId: ${freshId()}, teamId: 1 }) { id } }`)
    expect((await send(write, key, { headers: { accept: 'image/png' } })).status).toBe(406)
    expect((await send(write, key)).headers.get('idempotency-replayed')).toBeNull()
  })
})

test.each([
  ['empty', ''],
  ['longer than 255 characters', 'k'.repeat(256)],
  ['a list', 'a,b'],
  ['two words', 'a b'],
  ['not ASCII', 'schl\u00fcssel'],
])('a key that is %s is 400, and nothing is done', async (_what, key) => {
  const body = pairBody()
  const answer = await send({ method: 'POST', path, body }, key)
  expect([answer.status, answer.body.detail]).toEqual([
    400,
    expect.stringContaining('`Idempotency-Key` must be'),
  ])
  expect((await send({ method: 'POST', path, body }, freshKey().padEnd(255, '~'))).status).toBe(201)
})

test('a key has no effect on requests that change nothing', async () => {
  const { id } = await addMembership(server)
  const key = freshKey()
  const query = graphql(`{ teamMembership(id: ${id}) { id } }`)
  for (const read of [{ method: 'GET', path: `${path}/${id}` }, query, query]) {
    const { status, headers } = await send(read, key)
    expect([status, headers.get('idempotency-replayed')]).toEqual([200, null])
  }
  expect((await send({ method: 'DELETE', path: `${path}/${id}` }, key)).status).toBe(204)
})

test('a mutation with a key that takes a stream alone is 400, and is not executed', async () => {
  const { id } = await addMembership(server)
  const headers = { accept: 'text/event-stream' }
  const answer = await send(graphql(`mutation { removeTeamMembership(id: ${id}) { id } }`), freshKey(), {
    headers,
  })
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('A stream cannot be stored')])
  expect(await listMemberships(server, [id])).toHaveLength(1)
})

test('a run that ended with its client is not run again: the next one reads how it ended', async () => {
  const key = freshKey()
  const gone = new AbortController()
  const before = gate.arrived()
  const script = execute(`log("begun")\n${gate.wait}`)
  const headers = { 'idempotency-key': key }
  const { method, path, body } = script
  const cut = expect(server.rest(method, path, { body, headers, signal: gone.signal })).rejects.toThrow()
  await until(() => gate.arrived() > before)
  gone.abort()
  await cut
  const answer = await send(script, key)
  expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([422, 'true'])
  expect(answer.text).toContain('its caller disconnected')
  expect(answer.text).toContain('begun')
})

test('a client that disconnects at any moment leaves an answered key, and its change is made once', async () => {
  const teamId = freshId()
  const asked = Array.from({ length: 60 }, () => ({ key: freshKey(), body: pairBody(freshId(), teamId) }))
  await Promise.all(
    asked.map(({ key, body }, index) => {
      const signal = AbortSignal.timeout(index >> 1)
      const headers = { 'idempotency-key': key }
      return server.rest('POST', path, { body, headers, signal }).catch(() => undefined)
    }),
  )
  const answers = await Promise.all(asked.map(({ key, body }) => send({ method: 'POST', path, body }, key)))
  expect(answers.filter(({ status }) => status !== 201)).toEqual([])
  const ids = answers.map(({ body }) => body.team_membership.id)
  expect(await listMemberships(server, ids)).toHaveLength(60)
})

test('one that waits for another and disconnects does not affect the others', async () => {
  const key = freshKey()
  const script = execute(`${gate.wait}; exit(1)`)
  const { method, path, body } = script
  const before = gate.arrived()
  const first = send(script, key)
  await until(() => gate.arrived() > before)
  const headers = { 'idempotency-key': key }
  const impatient = server.rest(method, path, { body, headers, signal: AbortSignal.timeout(300) })
  await expect(impatient).rejects.toThrow()
  const asked = send(script, key)
  gate.open()
  const second = await asked
  expect([second.status, second.text]).toEqual([200, (await first).text])
})
