import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetAll } from '../../src/domain/forget-each-minute.ts'
import type { ClaimRequest } from '../../src/domain/idempotency/idempotency.ts'
import { retentionMs } from '../../src/domain/idempotency/keyed-requests.ts'
import type { Store } from '../../src/domain/store.ts'
import { openStore } from '../../src/store/open-store.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

const day = 24 * 60 * 60 * 1000

const folder = makeTempFolder()
const path = join(folder.path, 'keys.db')
let store: Store
beforeAll(async () => {
  store = await openStore({ url: `sqlite:${path}` })
})
afterAll(async () => {
  await store.close()
  folder.remove()
})

function age(ms: number): void {
  const client = new SqliteDatabase(path)
  client.prepare('update idempotency_keys set created_at = created_at - ?').run(ms)
  client.close()
}

const claim = (key: string, fingerprint: number) => {
  const request: ClaimRequest = {
    accountCode: 'a',
    key,
    holder: 'one',
    fingerprint: Buffer.alloc(32, fingerprint),
    leaseMs: 1_000,
    retentionMs: 2 * day,
    maxBytes: 2 ** 30,
    isRepeatable: true,
  }
  return store.idempotency.claim(request)
}

test('keys are kept for 24 hours, and then all are deleted', async () => {
  const keys = Array.from({ length: 450 }, (_, index) => `key-${index}`)
  await Promise.all(keys.map(key => claim(key, 1)))
  age(day - 60_000)
  await forgetAll(() => store.idempotency.forgetOlderThan(retentionMs, 200))
  expect(await claim('key-0', 2)).toEqual({ kind: 'other' })
  age(60_001)
  await forgetAll(() => store.idempotency.forgetOlderThan(retentionMs, 200))
  const results = await Promise.all(keys.map(key => claim(key, 2)))
  expect(results.filter(({ kind }) => kind === 'claimed')).toHaveLength(450)
})
