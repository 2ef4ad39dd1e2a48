import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { createCachedRows } from '../../../src/store/sqlite/cache/cached-rows.ts'
import { createChangeMark } from '../../../src/store/sqlite/connection/change-mark.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { caseCommit } from '../cases/case-commit.ts'
import { by } from '../databases/origin.ts'
import { move, remove, together } from '../memberships/bulk-changes.ts'

const folder = makeTempFolder()
const path = `${folder.path}/store.db`
let store: Store

beforeAll(async () => {
  store = await openStore({ url: `sqlite:${path}` })
})
afterAll(async () => {
  await store.close()
  folder.remove()
})

async function create(userId: number, accountCode = 'a'): Promise<number> {
  const added = await store.memberships.add(by(accountCode), { userId, teamId: 1 })
  if (added.kind !== 'added') throw new Error('The pair was there before.')
  return added.membership.id
}

const read = async (id: number) => (await store.memberships.findByIds('a', [id]))[0]

test('a row that was read shows each of our changes as soon as that is answered', async () => {
  const id = await create(1)
  expect(await read(id)).toMatchObject({ userId: 1, version: 1 })
  await store.memberships.move(by('a'), id, { userId: 2 }, null)
  expect(await read(id)).toMatchObject({ userId: 2, version: 2 })
  await store.memberships.remove(by('a'), id, null)
  expect(await read(id)).toBeUndefined()

  for (const displayName of ['Ann', 'Bo', null]) {
    await store.users.save(by('a'), 7, { displayName })
    expect(await store.users.findByIds('a', [7])).toEqual([{ id: 7, email: null, displayName }])
    await store.teams.save(by('a'), 7, { name: displayName })
    expect(await store.teams.findByIds('a', [7])).toEqual([{ id: 7, name: displayName }])
  }
})

test('rows that were read show a change of many at once as soon as that is answered', async () => {
  const [moved, removed] = [await create(30), await create(31)]
  expect([await read(moved), await read(removed)]).toMatchObject([{ version: 1 }, { version: 1 }])
  const { memberships } = store
  await memberships.changeMany(by('a'), together([move(moved, { userId: 32 })]), 'atomic')
  await memberships.changeMany(by('a'), together([remove(removed)]), 'atomic')
  expect(await read(moved)).toMatchObject({ userId: 32, version: 2 })
  expect(await read(removed)).toBeUndefined()
})

test('a case that was saved here and then changed by another process is read again', async () => {
  await store.cases.findByIds('a', [1])
  const done = await store.cases.commit(caseCommit())
  if (done.kind !== 'committed') throw new Error('The case was not created.')
  const { id } = done.row
  const other = new Database(path)
  other.prepare(`update cases set data = '{"other":1}' where id = ?`).run(id)
  other.close()
  await nextTurn()
  expect((await store.cases.findByIds('a', [id]))[0]?.data?.text).toBe('{"other":1}')
})

test('a row that did not exist at the first read is found once it is added', async () => {
  const id = await create(10)
  expect(await read(id + 1)).toBeUndefined()
  expect(await create(11)).toBe(id + 1)
  expect(await read(id + 1)).toMatchObject({ userId: 11 })
})

test('a change that fails leaves the row as it was', async () => {
  const [id, other] = [await create(20), await create(21)]
  await read(id)
  await Promise.all([
    store.memberships.move(by('a'), id, { userId: 21 }, null),
    store.memberships.move(by('a'), id, { userId: 22 }, [9]),
    store.memberships.remove(by('a'), id, [9]),
  ])
  expect([await read(id), await read(other)]).toMatchObject([
    { userId: 20, version: 1 },
    { userId: 21, version: 1 },
  ])
})

test('a row that one account has read is not found by another', async () => {
  const id = await create(30)
  await read(id)
  expect(await store.memberships.findByIds('b', [id])).toEqual([])
})

test('a change by another program is seen in the next turn', async () => {
  const id = await create(40)
  const other = new Database(path)
  for (let teamId = 1; teamId <= 20; teamId++) {
    await read(id)
    other.prepare('update team_memberships set version = version + 1 where id = ?').run(id)
    await nextTurn()
    expect(await read(id)).toMatchObject({ version: 1 + teamId })
  }
  other.close()
})

test('a change by another program at the end of a turn is seen by the next message', async () => {
  const id = await create(50)
  const other = new Database(path)
  other.pragma('synchronous = off')
  const change = other.prepare('update team_memberships set version = version + 1 where id = ?')
  const { port1, port2 } = new MessageChannel()
  for (let version = 2; version <= 50; version++) {
    // Writes are answered after the messages of this turn and before those of the next.
    await nextTurn()
    await read(id)
    change.run(id)
    port1.postMessage(null)
    await once(port2, 'message')
    expect(await read(id)).toMatchObject({ version })
  }
  port1.close()
  other.close()
})

test('a full cache is cleared', () => {
  const client = new Database(':memory:')
  const cached = createCachedRows<{ id: number }>(createChangeMark(client), 100)
  const count = () => cached.of('a').size + cached.of('b').size
  for (let id = 1; id <= 1_000; id++) {
    cached.add(id % 2 === 0 ? 'a' : 'b', [{ id }])
    expect(count()).toBeLessThanOrEqual(100)
  }
  expect(count()).toBeGreaterThan(0)
  client.close()
})

test('rows that change again and again do not fill the cache', () => {
  const client = new Database(':memory:')
  const cached = createCachedRows<{ id: number }>(createChangeMark(client), 100)
  expect(cached.of('a').size).toBe(0)
  cached.add('a', [{ id: 1 }])
  for (let round = 0; round < 1_000; round++) {
    cached.forget('b', 2)
    cached.add('b', [{ id: 2 }])
    cached.add('b', [{ id: 2 }])
  }
  expect(cached.of('a').get(1)).toEqual({ id: 1 })
  client.close()
})
