import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { addMembership, listMemberships } from '../../server/clients/memberships.ts'
import { startServer } from '../../server/gateways/start-server.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

const folder = makeTempFolder()
afterAll(() => folder.remove())

test('what was answered is there after a restart, however the gateway ended', async () => {
  const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'kept.db')}` }
  const first = await startServer(settings)
  const row = await addMembership(first)
  const token = await first.token({ account: 'beta', user: 5 })
  await first.kill()
  const second = await startServer(settings)
  expect(await listMemberships(second, [row.id])).toEqual([row])
  expect((await second.graphql('{ viewer { accountCode } }', {}, token)).body.data).toEqual({
    viewer: { accountCode: 'beta' },
  })
  const next = await addMembership(second)
  expect(next.id).toBeGreaterThan(row.id)
  expect(await second.stop()).toBe(0)
  const third = await startServer(settings)
  expect(await listMemberships(third, [row.id, next.id])).toEqual([row, next])
  await third.stop()
})

test('a new ROSTRUM_ADMIN_TOKEN replaces the old one', async () => {
  const settings = { DATABASE_URL: `sqlite:${join(folder.path, 'token.db')}` }
  const first = await startServer(settings)
  const { adminToken } = first
  await first.stop()
  const second = await startServer({ ...settings, ROSTRUM_ADMIN_TOKEN: 'another-token-of-the-tests' })
  const view = (token: string) => second.graphql('{ viewer { accountCode scopes } }', {}, token)
  expect((await view('another-token-of-the-tests')).body.data).toEqual({
    viewer: { accountCode: 'demo', scopes: ['admin'] },
  })
  expect((await view(adminToken)).status).toBe(401)
  await second.stop()
})
