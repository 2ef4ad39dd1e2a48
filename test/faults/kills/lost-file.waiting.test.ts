import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, test } from 'vitest'
import { addMembership, freshId } from '../../server/clients/memberships.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

// Each way to lose a file waits for its own gateway to end, so they wait at the same time.
const free: TestServer[] = []
beforeAll(async () => {
  free.push(...(await Promise.all(Array.from({ length: 4 }, () => startServer()))))
})
afterAll(() => Promise.all(free.map(server => server.stop())))

test.concurrent.for([
  ['The database file', 'removed', (path: string) => rmSync(path)],
  ['The file `rostrum.db-wal` of the database', 'removed', (path: string) => rmSync(`${path}-wal`)],
  ['The file `rostrum.db-serve` of the database', 'removed', (path: string) => rmSync(`${path}-serve`)],
  [
    'The database file',
    'replaced',
    (path: string) => {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
  ],
] as const)(
  '%s that was %s: the gateway is unready within two seconds, and ends with 1',
  async ([file, kind, harm], { expect }) => {
    const server = free.pop() ?? (await startServer())
    const before = await addMembership(server)
    harm(server.settings.DATABASE_URL?.slice('sqlite:'.length) ?? '')
    const ready = async () => (await server.rest('GET', '/ready', { token: null })).status
    await expect.poll(ready, { timeout: 2_000, interval: 100 }).toBe(503)
    const body = { team_membership: { user_id: freshId(), team_id: 3 } }
    const refused = await server.rest<{ code: string; detail: string }>(
      'POST',
      '/platform/team_memberships',
      {
        body,
      },
    )
    expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE'])
    expect(refused.body.detail).toContain(`${file} was ${kind}`)
    expect((await server.rest('GET', `/platform/team_memberships/${before.id}`)).status).toBe(200)
    await expect.poll(() => isAlive(server.pid), { timeout: 20_000 }).toBe(false)
    expect(await server.stop()).toBe(1)
    const errors = server
      .stdout()
      .split('\n')
      .filter(line => line.includes('"level":50') || line.includes('"level":60'))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(`${file} was ${kind}`)
  },
)

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
