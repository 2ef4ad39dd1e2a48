import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { createKeyring } from '../../../src/domain/webhooks/keyring.ts'
import { createWebhooks, type Webhooks } from '../../../src/domain/webhooks/webhooks.ts'
import { saveFunction, versionOf } from '../cases/save-function.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'

function createFor(store: Store, keys: readonly Buffer[], keyFile: Store['keyFile'] = null): Webhooks {
  const keyring = createKeyring({ keys, keyFile, findKeyIds: store.webhooks.findKeyIds })
  return createWebhooks({ store: store.webhooks, keyring, onChange: () => {} })
}

const usual = { verification: 'standard', header: null, headers: [], mode: 'sync', scopes: [] } as const
const save = (webhooks: Webhooks, name: string, functionId: number, id: number | null = null) =>
  webhooks.save(by('a'), id, {
    ...usual,
    name,
    function: { id: functionId },
    enabled: true,
    missingScopes: () => null,
    secret: null,
  })

const keyLost = { code: 'CONFLICT', reason: 'KEY_LOST' }

eachStore(harness => {
  test('while a live secret has another key, no webhook is saved and no secret is rotated', async () => {
    const store = await harness.open()
    const { id: functionId } = await saveFunction(store, versionOf('exit()'))
    const [old, fresh] = [randomBytes(32), randomBytes(32)]
    const { webhook } = await save(createFor(store, [old]), 'w', functionId)

    const withFresh = createFor(store, [fresh])
    await expect(save(withFresh, 'x', functionId)).rejects.toMatchObject(keyLost)
    await expect(save(withFresh, 'w', functionId, webhook.id)).rejects.toMatchObject(keyLost)
    await expect(
      withFresh.rotateSecret(by('a'), webhook.id, { overlapHours: 24, secret: null }),
    ).rejects.toMatchObject({
      ...keyLost,
      message: expect.stringContaining('to the setting ROSTRUM_SECRETS_KEY, after the new one'),
    })
    await expect(save(createFor(store, []), 'x', functionId)).rejects.toMatchObject({
      ...keyLost,
      message: expect.stringContaining('Set ROSTRUM_SECRETS_KEY to that key, and start again.'),
    })
    expect((await withFresh.list('a')).map(({ name }) => name)).toEqual(['w'])

    // A secret that has ended, or that is gone with its webhook, needs no key.
    await createFor(store, [fresh, old]).rotateSecret(by('a'), webhook.id, { overlapHours: 0, secret: null })
    const added = await save(withFresh, 'x', functionId)
    expect(added.secret).toMatch(/^whsec_/)
    await createFor(store, [old, fresh]).rotateSecret(by('a'), webhook.id, { overlapHours: 24, secret: null })
    await expect(save(withFresh, 'y', functionId)).rejects.toMatchObject(keyLost)
    await withFresh.remove(by('a'), webhook.id)
    await save(withFresh, 'y', functionId)
  })

  test.skipIf(harness.engine === 'PostgreSQL')('a lost key file is named, and no other is made', async () => {
    const url = await harness.freshUrl()
    const store = await harness.open({ url })
    const { id: functionId } = await saveFunction(store, versionOf('exit()'))
    const { webhook } = await save(createFor(store, [], store.keyFile), 'w', functionId)
    const path = `${url.slice('sqlite:'.length)}.secrets-key`
    const key = readFileSync(path, 'utf8')
    const refusal = { ...keyLost, message: expect.stringContaining(`Put the file \`${path}\` back`) }

    rmSync(path)
    const without = createFor(store, [], store.keyFile)
    await expect(save(without, 'x', functionId)).rejects.toMatchObject(refusal)
    await expect(
      without.rotateSecret(by('a'), webhook.id, { overlapHours: 24, secret: null }),
    ).rejects.toMatchObject(refusal)
    expect(existsSync(path)).toBe(false)

    writeFileSync(path, `${randomBytes(32).toString('base64')}\n`)
    await expect(save(createFor(store, [], store.keyFile), 'x', functionId)).rejects.toMatchObject(refusal)

    writeFileSync(path, key)
    await save(createFor(store, [], store.keyFile), 'x', functionId)
  })
})
