import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { secret, signHmac } from '../../credentials/sign-jwt.ts'
import { followEvents } from '../../server/clients/follow-events.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { runCommand } from '../../server/processes/spawn-command.ts'
import { createDatabase } from '../../store/databases/create-database.ts'

// These mostly wait, so they wait at the same time.
describe.concurrent.each([
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ DATABASE_URL: await createDatabase() })],
])('%s', (_engine, settingsOf) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ ROSTRUM_JWT_SECRET: secret, ...(await settingsOf()) })
  })
  afterAll(() => server.stop())

  test('a token that is revoked while nothing happens ends its stream within ten seconds', async () => {
    const token = await server.token({ account: 'idler', scopes: ['memberships:read'] })
    const follower = await followEvents(server, { token })
    const { stdout } = await runCommand(['token', '--list', '--account', 'idler'], server.settings)
    const id = /^\s*(\d+)\s/m.exec(stdout)?.[1] ?? ''
    await runCommand(['token', '--revoke', id], server.settings)
    const revokedAt = performance.now()
    expect(await follower.ended).toBe(true)
    expect(performance.now() - revokedAt).toBeLessThan(10_000)
    expect(follower.errors.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED'])
  })

  test('a JWT that runs out ends its stream with `UNAUTHENTICATED` within ten seconds', async () => {
    const now = Math.floor(Date.now() / 1_000)
    // It is taken for five seconds more, for clocks that differ.
    const token = await signHmac({ sub: '7', account: 'acme' }, { exp: now - 3 })
    const follower = await followEvents(server, { token })
    expect(follower.status).toBe(200)
    expect(await follower.ended).toBe(true)
    expect(Date.now() / 1_000 - now).toBeLessThan(12)
    expect(follower.errors.map(({ extensions }) => extensions.code)).toEqual(['UNAUTHENTICATED'])
  })

  test('clients that disconnect at any moment leave no stream, and the gateway keeps serving', {
    concurrent: false,
  }, async () => {
    const token = await server.token({ account: 'fickle', scopes: ['memberships:read'] })
    const body = { query: 'subscription { teamMembershipChanged { cursor } }' }
    const headers = { accept: 'text/event-stream' }
    for (let round = 0; round < 20; round += 1) {
      const going = Array.from({ length: 50 }, (_, index) => {
        const signal = AbortSignal.timeout(1 + (index >> 1))
        return server.rest('POST', '/graphql', { body, headers, token, signal }).catch(() => undefined)
      })
      await Promise.all(going)
    }
    await sleep(200)
    const followers = await Promise.all(Array.from({ length: 100 }, () => followEvents(server, { token })))
    for (const follower of followers) follower.cut()
    expect(followers.filter(({ status }) => status !== 200)).toEqual([])
  })
})
