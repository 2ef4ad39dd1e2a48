import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  deliver,
  type SavedWebhook,
  saveFunction,
  saveWebhook,
  signStandard,
} from '../../server/clients/webhooks.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { runCommand } from '../../server/processes/spawn-command.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { readRows } from '../../store/databases/read-rows.ts'

async function deliverTo(server: TestServer, { path, secret }: SavedWebhook): Promise<number> {
  return (await deliver(server, path, { headers: signStandard({ secret }) })).status
}

test('SQLite makes a key file for its owner with the first webhook, and uses it at the next start', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const file = join(folder.path, 'store.db')
  const keyFile = `${file}.secrets-key`
  const DATABASE_URL = `sqlite:${file}`

  const first = await startServer({ DATABASE_URL })
  expect(existsSync(keyFile)).toBe(false)
  const webhook = await saveWebhook(first, { name: 'w', sourceCode: 'exit(1)' })
  expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  const key = readFileSync(keyFile, 'utf8')
  expect(key).toMatch(/^[A-Za-z0-9+/]{43}=\n$/)
  await first.stop()

  const second = await startServer({ DATABASE_URL })
  expect(await deliverTo(second, webhook)).toBe(200)
  expect(readFileSync(keyFile, 'utf8')).toBe(key)
  await second.stop()

  writeFileSync(keyFile, 'not a key')
  const refused = await runCommand([], { DATABASE_URL, PORT: '0' })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toBe(
    `The file \`${keyFile}\` holds no key for secrets. Put its backup there, or remove it and save all webhooks ` +
      'anew.\n',
  )
  const third = await startServer({ DATABASE_URL, ROSTRUM_SECRETS_KEY: key.trim() })
  expect(await deliverTo(third, webhook)).toBe(200)
  await third.stop()
})

test('PostgreSQL needs the setting before a webhook can be saved', async () => {
  const DATABASE_URL = await createDatabase()
  const without = await startServer({ DATABASE_URL })
  const functionId = await saveFunction(without, 'f', 'exit(1)')
  const { body } = await without.graphql(
    `mutation { saveWebhook(input: {name: "w", verification: STANDARD, functionId: "${functionId}"}) { secret } }`,
  )
  expect(body.errors?.[0]).toMatchObject({
    message: expect.stringContaining('set ROSTRUM_SECRETS_KEY'),
    extensions: { code: 'CONFLICT', reason: 'NO_KEY' },
  })
  const list = await without.graphql('{ webhooks { id } }')
  expect(list.body.data).toEqual({ webhooks: [] })
  await without.stop()
})

test.each(['SQLite', 'PostgreSQL'])('%s: keys are rotated without a gap', async engine => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const DATABASE_URL = engine === 'SQLite' ? `sqlite:${join(folder.path, 'a.db')}` : await createDatabase()
  const findKeys = async () => {
    const rows = await readRows<{ key: string }>(
      DATABASE_URL,
      'select key_id as key from webhook_secrets order by id',
    )
    return rows.map(({ key }) => key)
  }
  const [old, fresh] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('hex')]
  const withOld = await startServer({ DATABASE_URL, ROSTRUM_SECRETS_KEY: old })
  const webhook = await saveWebhook(withOld, { name: 'w', sourceCode: 'exit(1)' })
  await withOld.stop()
  const withBoth = await startServer({ DATABASE_URL, ROSTRUM_SECRETS_KEY: `${fresh},${old}` })
  expect(await deliverTo(withBoth, webhook)).toBe(200)
  const added = await saveWebhook(withBoth, { name: 'added', sourceCode: 'exit(1)' })
  const rotation = `mutation { rotateWebhookSecret(id: "${webhook.id}") { secret } }`
  const { body } = await withBoth.graphql<{ rotateWebhookSecret: { secret: string } }>(rotation)
  const rotated = { ...webhook, secret: body.data?.rotateWebhookSecret.secret ?? '' }
  // The earlier secret stays valid for its overlap.
  expect([await deliverTo(withBoth, webhook), await deliverTo(withBoth, rotated)]).toEqual([200, 200])
  await withBoth.stop()
  const [oldKey, ...freshKeys] = await findKeys()
  expect(freshKeys).toHaveLength(2)
  expect(new Set(freshKeys).size).toBe(1)
  expect(freshKeys).not.toContain(oldKey)

  const withFresh = await startServer({ DATABASE_URL, ROSTRUM_SECRETS_KEY: fresh })
  expect([await deliverTo(withFresh, webhook), await deliverTo(withFresh, webhook)]).toEqual([401, 401])
  expect([await deliverTo(withFresh, rotated), await deliverTo(withFresh, added)]).toEqual([200, 200])
  await withFresh.stop()
  expect(withFresh.stdout().match(/no key that is set opens/g)).toHaveLength(1)

  // With the new key gone, the gateway still starts, and makes no secret that would hide that.
  const other = Buffer.alloc(32, 3).toString('base64')
  const withOther = await startServer({ DATABASE_URL, ROSTRUM_SECRETS_KEY: other })
  expect([await deliverTo(withOther, rotated), await deliverTo(withOther, added)]).toEqual([401, 401])
  const repair = await withOther.graphql(rotation)
  expect(repair.body.errors?.[0]?.extensions).toEqual({ code: 'CONFLICT', reason: 'KEY_LOST' })
  await withOther.stop()
})

test.each(['short', `${'a'.repeat(64)},`, 'x'.repeat(64)])('the start stops for the key %j', async key => {
  const { code, stderr } = await runCommand([], { ROSTRUM_SECRETS_KEY: key, DATABASE_URL: 'sqlite::memory:' })
  expect(code).toBe(1)
  expect(stderr).toContain('ROSTRUM_SECRETS_KEY must be 32 bytes in base64 or hex')
  expect(stderr).not.toContain(key)
})
