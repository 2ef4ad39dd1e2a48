import { afterAll, beforeAll, expect, test } from 'vitest'
import { StartError } from '../../../src/errors.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

async function openingFails(url: string): Promise<string> {
  const failure = await openStore({ url }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartError)
  const { message } = failure as StartError
  expect(message).toMatch(/DATABASE_URL/)
  expect(message).not.toMatch(/\n/)
  return message
}

test('a wrong password, database, port or URL is one line that names the setting and no password', async () => {
  const url = await server.createDatabase()
  const bad = url.replace('pa55word', 'wr0ng')
  expect(await openingFails(bad)).toMatch(/password authentication failed/)
  expect(await openingFails(`${url}_missing`)).toMatch(/does not exist/)
  expect(await openingFails(url.replace(/:\d+\//, ':1/'))).toMatch(/ECONNREFUSED/)
  const unreadable = await openingFails(url.replace(/@.*/, '@[::1/x'))
  for (const line of [await openingFails(bad), unreadable]) expect(line).not.toMatch(/pa55word|wr0ng/)
})

test('ping rejects while the server is gone, and the store works again by itself', async () => {
  const store = await openStore({ url: await server.createDatabase() })
  const added = await store.memberships.add('a', { userId: 7, teamId: 3 })
  await server.restart(async () => {
    await expect(store.ping()).rejects.toThrow()
    await expect(store.memberships.add('a', { userId: 8, teamId: 3 })).rejects.toThrow()
  })
  await expect.poll(() => store.ping().then(() => 'answers', String), { timeout: 10_000 }).toBe('answers')
  const again = await store.memberships.add('a', { userId: 7, teamId: 3 })
  expect(added.kind).toBe('added')
  expect(again.kind).toBe('duplicate')
  await store.close()
})
