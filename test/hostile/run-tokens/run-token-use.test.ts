import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMembership, freshId } from '../../server/clients/memberships.ts'
import type { TestServer } from '../../server/gateways/start-server.ts'
import { runInProcess } from '../../server/processes/run-in-process.ts'
import { type HeldStage, startHeldStage, view } from '../running-scripts/held-runs.ts'

const jwtSecret = 'a-secret-of-the-tests-with-enough-length'

let stage: HeldStage
let holder: HeldStage['holder']
let server: TestServer

beforeAll(async () => {
  stage = await startHeldStage({ ROSTRUM_JWT_SECRET: jwtSecret, ROSTRUM_SANDBOXES: '8' })
  holder = stage.holder
  server = stage.server
})
afterAll(() => stage.stop())

const status = async (token: string) => (await view(server, token)).status

async function revoke(label: string): Promise<void> {
  const { stdout } = await runInProcess('token', ['--list'], server.settings)
  const [id = ''] = /^\d+/.exec(stdout.split('\n').find(line => line.includes(label)) ?? '') ?? []
  const { code } = await runInProcess('token', ['--revoke', id], server.settings)
  if (code !== 0) throw new Error(`No token ${label} was revoked`)
}

describe("a run's token has the rights of its run", () => {
  test("and sees another account's ids as ids that do not exist", async () => {
    const foreign = await addMembership(server)
    const credential = await server.token({
      account: 'beta',
      scopes: ['memberships:read', 'memberships:write', 'tasks:execute'],
    })
    const { token, release, answer } = await holder.hold(server, { credential })
    const path = `/platform/team_memberships/${foreign.id}`
    const body = { team_membership: { team_id: freshId() } }
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const parts = method === 'PUT' ? { token, body } : { token }
      expect((await server.rest(method, path, parts)).status).toBe(404)
    }
    const listed = await server.rest('GET', `/platform/team_memberships?ids[]=${foreign.id}`, { token })
    expect(listed.body).toEqual({ team_memberships: [] })
    release()
    await answer
    expect((await server.rest('GET', path)).status).toBe(200)
  })

  test('whatever the caller said of itself, in options, metadata or headers', async () => {
    const credential = await server.token({ account: 'beta', user: 5, scopes: ['tasks:execute'] })
    const claims = {
      current_user: { id: 1, account_code: 'demo' },
      authorization: `Bearer ${server.adminToken}`,
    }
    const { token, release, answer } = await holder.hold(server, { credential })
    const inner = await server.execute<{ data: unknown }>(
      {
        sourceCode: 'exit(await graphql("{ viewer { accountCode userId scopes } }"))',
        options: { ...claims, scopes: ['admin'], requestContext: { txnSource: 'admin' } },
        metadata: { account_nickname: 'demo' },
      },
      { token, headers: { 'x-account': 'demo', 'x-scopes': 'admin', 'x-forwarded-user': '1' } },
    )
    expect(inner.body.task_execution.payload.data).toEqual({
      viewer: { accountCode: 'beta', userId: '5', scopes: ['tasks:execute'] },
    })
    release()
    await answer
  })
})

describe('a run started with the token of a run is inside it', () => {
  test('so the tokens that it mints go no deeper than runs inside runs may', async () => {
    const first = await holder.hold(server)
    const second = await holder.hold(server, { credential: first.token })
    const third = await holder.hold(server, { credential: second.token })
    expect(new Set([first.token, second.token, third.token]).size).toBe(3)
    const fourth = await server.execute('exit()', { token: third.token })
    expect([fourth.status, fourth.text]).toEqual([422, expect.stringContaining('"code":"TOO_DEEP"')])
    expect(fourth.headers.get('retry-after')).toBe(null)
    first.release()
    await first.answer
    expect(await Promise.all([first, second, third].map(({ token }) => status(token)))).toEqual([
      401, 401, 401,
    ])
    await Promise.all([second.answer, third.answer])
  })

  test("and a child's token is dead while its parent still lives", async () => {
    const first = `const inner = await Platform.tasks.execute({ name: 'inner', inputDocument: {}, options: {},
      sourceCode: 'exit(options.authorization.slice(7))' })
      extra = inner.payload`
    const { token, extra, release, answer } = await holder.hold(server, { first })
    expect(extra).toMatch(/^rrun_/)
    expect([await status(String(extra)), await status(token)]).toEqual([401, 200])
    release()
    await answer
  })
})

describe('a run stands on the credential that caused it', () => {
  const script = {
    first: 'await graphql("{ viewer { accountCode } }")',
    last: 'exit(await graphql("{ viewer { accountCode } }").then(() => "read", error => error.message))',
  }

  test('revoked, its token and those of nested runs stop working, and its calls are refused', async () => {
    const credential = await server.token({ account: 'gamma', email: 'revoked@example.com' })
    const outer = await holder.hold(server, { credential, ...script })
    const inner = await holder.hold(server, { credential: outer.token, ...script })
    expect(await Promise.all([status(outer.token), status(inner.token)])).toEqual([200, 200])
    await revoke('revoked@example.com')
    expect(await Promise.all([status(outer.token), status(inner.token)])).toEqual([401, 401])
    inner.release()
    const refused = 'The token is unknown, was revoked, or has expired.'
    expect((await inner.answer).body.task_execution.payload).toBe(refused)
    outer.release()
    expect((await outer.answer).body.task_execution.payload).toBe(refused)
  })

  test('the token of another user revoked, it goes on', async () => {
    const credential = await server.token({ account: 'gamma', email: 'stays@example.com' })
    await server.token({ account: 'gamma', email: 'goes@example.com' })
    const { token, release, answer } = await holder.hold(server, { credential, ...script })
    await revoke('goes@example.com')
    expect(await status(token)).toBe(200)
    release()
    expect((await answer).body.task_execution.payload).toBe('read')
  })
})
