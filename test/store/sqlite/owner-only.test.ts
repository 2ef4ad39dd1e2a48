import { chmodSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'
import { startApp } from '../../http/edge/start-app.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { by } from '../databases/origin.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

function tempFolder(): string {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  return folder.path
}

test('new files of a store and their folder are for their owner alone', async () => {
  const folder = join(tempFolder(), 'new', 'data')
  const store = await openStore({ url: `sqlite:${join(folder, 'a.db')}`, serve: true })
  await store.accounts.ensure(by('a').accountCode)
  store.keyFile?.create(Buffer.alloc(32))
  const files = readdirSync(folder).toSorted()
  expect(files).toEqual(
    expect.arrayContaining(['a.db', 'a.db-serve', 'a.db-shm', 'a.db-wal', 'a.db.secrets-key']),
  )
  expect(files.map(name => [name, modeOf(join(folder, name))])).toEqual(files.map(name => [name, '600']))
  expect([modeOf(folder), modeOf(join(folder, '..'))]).toEqual(['700', '700'])
  await store.close()
})

test('files and folders that exist keep their mode', async () => {
  const folder = tempFolder()
  const path = join(folder, 'a.db')
  await (await openStore({ url: `sqlite:${path}`, serve: true })).close()
  chmodSync(path, 0o640)
  chmodSync(folder, 0o750)
  const store = await openStore({ url: `sqlite:${path}`, serve: true })
  await store.accounts.ensure('a')
  expect([modeOf(path), modeOf(`${path}-wal`), modeOf(folder)]).toEqual(['640', '640', '750'])
  await store.close()
})

test('a start warns of a key file that other users can read, and of no other', async () => {
  const path = join(tempFolder(), 'a.db')
  const keyFile = `${path}.secrets-key`
  const warnings = async () => {
    const app = await startApp({ DATABASE_URL: `sqlite:${path}` })
    app.app.store.keyFile?.create(Buffer.alloc(32))
    await app.close()
    return app.logLines.map(line => JSON.parse(line)).filter(({ file }) => file === keyFile)
  }
  expect(await warnings()).toEqual([])
  expect(await warnings()).toEqual([])
  chmodSync(keyFile, 0o640)
  expect(await warnings()).toMatchObject([{ level: 40, msg: expect.stringContaining('chmod 600') }])
})
