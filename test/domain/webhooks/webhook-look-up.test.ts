import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { createKeyring } from '../../../src/domain/webhooks/keyring.ts'
import { createWebhookLookUp, type WebhookLookUp } from '../../../src/domain/webhooks/webhook-look-up.ts'
import type { WebhookInput } from '../../../src/domain/webhooks/webhook-store.ts'
import { createWebhooks, type Webhooks } from '../../../src/domain/webhooks/webhooks.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { saveFunction, versionOf } from '../../store/cases/save-function.ts'
import { by } from '../../store/databases/origin.ts'

let path: string
let store: Store
let statements: string[]
let lookUp: WebhookLookUp
let webhooks: Webhooks

beforeEach(async () => {
  const folder = makeTempFolder()
  path = join(folder.path, 'a.db')
  statements = []
  const onStatement = (sql: string) => void (/^\s*select/i.test(sql) && statements.push(sql))
  store = await openStore({ url: `sqlite:${path}`, serve: true, onStatement })
  onTestFinished(async () => {
    await store.close()
    folder.remove()
  })
  await saveFunction(store, versionOf('exit()'))
  const keyring = createKeyring({
    keys: [randomBytes(32)],
    keyFile: null,
    findKeyIds: store.webhooks.findKeyIds,
  })
  lookUp = createWebhookLookUp({ store: store.webhooks, keyring, onUnreadable: () => {} })
  webhooks = createWebhooks({ store: store.webhooks, keyring, onChange: lookUp.forget })
})

const usual = {
  name: 'w',
  function: { id: 1 },
  verification: 'standard',
  header: null,
  mode: 'queued',
} as const
const save = (id: number | null, rest: Partial<WebhookInput> = {}) =>
  webhooks.save(by('a'), id, {
    ...usual,
    headers: [],
    scopes: [],
    enabled: true,
    missingScopes: () => null,
    secret: null,
    ...rest,
  })
// Null for an unknown or disabled webhook.
async function secretsOf(name = 'w'): Promise<number | null> {
  const found = await lookUp.find('a', name)
  return found?.webhook.enabled ? found.secrets.length : null
}

test('a webhook that was found is found again without a statement, and so is one that is unknown', async () => {
  await save(null)
  expect([await secretsOf(), await secretsOf('x')]).toEqual([1, null])
  statements = []
  expect([await secretsOf(), await secretsOf('x'), await secretsOf()]).toEqual([1, null, 1])
  expect(statements).toEqual([])
})

test('every change through this gateway is noticed at once', async () => {
  expect(await secretsOf()).toBeNull()
  await save(null)
  expect(await secretsOf()).toBe(1)
  await webhooks.rotateSecret(by('a'), 1, { overlapHours: 24, secret: null })
  expect(await secretsOf()).toBe(2)
  await webhooks.rotateSecret(by('a'), 1, { overlapHours: 0, secret: null })
  expect(await secretsOf()).toBe(1)
  await save(1, { name: 'v' })
  expect([await secretsOf(), await secretsOf('v')]).toEqual([null, 1])
  await save(1, { name: 'v', enabled: false })
  expect(await secretsOf('v')).toBeNull()
  await save(1)
  expect(await secretsOf()).toBe(1)
  await webhooks.remove(by('a'), 1)
  expect(await secretsOf()).toBeNull()
})

test('a change by another process is noticed', async () => {
  await save(null)
  expect(await secretsOf()).toBe(1)
  const other = new SqliteDatabase(path)
  other.prepare('update webhooks set enabled = 0').run()
  other.close()
  await sleep(2)
  expect(await secretsOf()).toBeNull()
})

test('a secret that is cached still ends in time', async () => {
  await save(null)
  const { webhook } = await save(1)
  const seal = () => ({ keyId: 'another', sealed: Buffer.from('x') })
  await store.webhooks.rotate(by('a'), webhook.id, { overlapMs: 100, seal, maxSecrets: 3 }, () => null)
  lookUp.forget()
  expect(await secretsOf()).toBe(1)
  await sleep(150)
  expect(await secretsOf()).toBe(0)
})
