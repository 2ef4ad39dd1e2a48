import { statSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

test('the log gives back the disk that one large transaction took', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const path = join(folder.path, 'a.db')
  const store = await openStore({ url: `sqlite:${path}`, serve: true })
  const megabytesOfLog = () => Math.round(statSync(`${path}-wal`).size / 2 ** 20)
  const migration = new SqliteDatabase(path)
  migration.exec('create table large (content blob); insert into large values (zeroblob(100000000))')
  migration.close()
  expect(megabytesOfLog()).toBeGreaterThan(90)
  await store.accounts.ensure('a')
  await store.accounts.ensure('b')
  expect(megabytesOfLog()).toBe(64)
  await store.close()
})
