import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { makeTempFolder, type TempFolder } from '../../server/processes/temp-folder.ts'
import { by } from '../databases/origin.ts'

let folder: TempFolder
let store: Store
/** Another program on the same file. */
let other: Database

beforeEach(async () => {
  folder = makeTempFolder()
  store = await openStore({ url: `sqlite:${folder.path}/store.db` })
  other = new SqliteDatabase(`${folder.path}/store.db`)
  onTestFinished(async () => {
    other.close()
    await store.close()
    folder.remove()
  })
})

const add = (userId: number) => store.memberships.add(by('a'), { userId, teamId: 1 })
const read = () => store.memberships.findByIds('a', [1])
const kindsOf = (adds: readonly Promise<{ readonly kind: string }>[]) =>
  Promise.all(adds.map(each => each.then(({ kind }) => kind)))

test('changes wait for the lock of another program, and reads go on', async () => {
  await add(1)
  other.exec('begin immediate')
  const adds = [2, 3, 4].map(add)
  for (let count = 0; count < 100; count++) expect(await read()).toHaveLength(1)
  other.exec('commit')
  expect(await kindsOf(adds)).toEqual(['added', 'added', 'added'])
})

test('changes fail with the reason after five seconds, and those that follow wait again', async () => {
  await add(1)
  other.exec('begin immediate')
  const failures = await Promise.all([2, 3].map(userId => add(userId).catch((error: unknown) => error)))
  const message = 'The database kept nothing of this change: another program holds it locked.'
  for (const failure of failures)
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1, message })
  const adds = [4].map(add)
  await read()
  other.exec('commit')
  expect(await kindsOf(adds)).toEqual(['added'])
})

test('1,000 changes wait at most, and one more fails at once', async () => {
  await add(1)
  other.exec('begin immediate')
  const first = add(2)
  // Until the first one has met the lock.
  await sleep(100)
  const accounts = Array.from({ length: 999 }, (_, n) => `b${n}`)
  const others = accounts.map(account => store.memberships.add(by(account), { userId: 1, teamId: 1 }))
  await expect(store.memberships.add(by('c'), { userId: 1, teamId: 1 })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  })
  other.exec('commit')
  expect(new Set(await kindsOf([first, ...others]))).toEqual(new Set(['added']))
})

test('a store that closes waits for the lock', async () => {
  await add(1)
  other.exec('begin immediate')
  const waiting = add(2)
  const closed = store.close()
  setTimeout(() => other.exec('commit'), 200)
  await closed
  expect((await waiting).kind).toBe('added')
})

test('changes that wait fail when the file is gone', async () => {
  const path = join(folder.path, 'served.db')
  const served = await openStore({ url: `sqlite:${path}`, serve: true, onLost: () => {} })
  onTestFinished(() => served.close())
  const rival = new SqliteDatabase(path)
  onTestFinished(() => void rival.close())
  rival.exec('begin immediate')
  const adding = served.memberships.add(by('a'), { userId: 1, teamId: 1 })
  const failed = expect(adding).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  renameSync(path, `${path}.old`)
  await expect.poll(() => served.ping().then(String, ({ code }) => code)).toBe('UNAVAILABLE')
  rival.exec('commit')
  await failed
})
