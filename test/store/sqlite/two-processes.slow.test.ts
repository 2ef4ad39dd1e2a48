import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/store/open-store.ts'

const count = 200
const openStoreModule = new URL('../../../src/store/open-store.ts', import.meta.url).href

// Adds memberships of the given user, each in another team, as fast as it can.
const script = `
  const { openStore } = await import(${JSON.stringify(openStoreModule)})
  const [url, userId] = process.argv.slice(1)
  const store = await openStore({ url })
  for (let teamId = 1; teamId <= ${count}; teamId += 1) {
    const origin = { accountCode: 'a', userId: 1, email: null, transactionId: 'test', step: null }
    const { kind } = await store.memberships.add(origin, { userId: Number(userId), teamId })
    if (kind !== 'added') throw new Error(kind)
  }
  await store.close()
`

test('processes that write one file at once wait for each other and lose nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-processes-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const url = `sqlite:${join(folder, 'store.db')}`
  const exits = [1, 2, 3].map(async userId => {
    const args = ['--input-type=module', '-e', script, '--', url, String(userId)]
    const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')
    return code
  })
  expect(await Promise.all(exits)).toEqual([0, 0, 0])
  const store = await openStore({ url })
  const page = { after: null, before: null, limit: 1_000, fromEnd: false }
  const rows = await store.memberships.pageByUsers('a', [1, 2, 3], page)
  expect(new Set(rows.map(row => row.id)).size).toBe(3 * count)
  await store.close()
})
