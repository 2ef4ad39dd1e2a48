import { beforeEach, describe, expect, test } from 'vitest'
import type { KeyClaimRequest } from '../../../src/domain/idempotency/idempotency.ts'
import type { Store } from '../../../src/domain/store.ts'
import type { Rotation, SealSecret, WebhookInput } from '../../../src/domain/webhooks/webhook-store.ts'
import { invalidInput } from '../../../src/errors.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { readRows } from '../databases/read-rows.ts'
import { writeRows } from '../databases/write-rows.ts'
import { queuedRun } from '../runs/queued-run.ts'
import { complete } from './complete-trigger.ts'
import { saveFunction, versionOf } from './save-function.ts'

const seal: SealSecret = (webhookId, secretId) => ({
  keyId: 'k',
  sealed: Buffer.from(`${webhookId}/${secretId}`),
})
const rotationOf = (overlapMs: number): Rotation => ({ overlapMs, seal, maxSecrets: 3 })
const saveOf = (input: WebhookInput) => ({
  complete: complete(input),
  rotation: rotationOf(0),
  rotates: false,
  checkKept: () => null,
  maxWebhooks: 3,
})
const dayMs = 86_400_000

eachStore(harness => {
  let store: Store
  let url: string
  let functionId: number
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
    functionId = await saveNamed('f', 'a')
  })

  const saveNamed = async (name: string, accountCode: string) =>
    (await saveFunction(store, versionOf('exit()', { name }), by(accountCode))).id

  function inputOf(name: string, rest: Partial<WebhookInput> = {}): WebhookInput {
    const usual = { verification: 'standard', header: null, headers: [], mode: 'sync', scopes: [] } as const
    return { name, functionId, enabled: true, ...usual, ...rest }
  }

  const create = (name: string, rest: Partial<WebhookInput> = {}) =>
    store.webhooks.save(by('a'), null, saveOf(inputOf(name, rest)))

  const liveIds = async (name: string) =>
    (await store.webhooks.findByName('a', name))?.secrets.map(({ id }) => id) ?? null

  test('a saved webhook is found by name, id and in the list, with its first secret', async () => {
    const rest = {
      headers: ['x-a', 'x-b'],
      scopes: ['cases:read', 'admin'],
      header: 'x',
      mode: 'queued',
    } as const
    expect(await create('w', rest)).toEqual({
      webhook: { id: 1, ...inputOf('w', rest) },
      secretId: 1,
    })
    const webhook = { id: 1, ...inputOf('w', rest) }
    const sealed = Buffer.from('1/1')
    expect(await store.webhooks.findByName('a', 'w')).toEqual({
      webhook,
      secrets: [{ id: 1, keyId: 'k', sealed, endsAt: null }],
    })
    expect(await store.webhooks.findByIds('a', [1, 2])).toEqual([webhook])
    expect(await store.webhooks.list('a')).toEqual([webhook])
    for (const account of ['b', 'A']) {
      expect(await store.webhooks.findByName(account, 'w')).toBeNull()
      expect(await store.webhooks.findByIds(account, [1])).toEqual([])
      expect(await store.webhooks.findSecret(account, 1, 1)).toBeNull()
    }
  })

  test('names are unique, and there is a maximum', async () => {
    await create('one')
    await create('two')
    const taken = { reason: 'NAME_TAKEN', message: expect.stringContaining('Webhook `1` has the name `one`') }
    await expect(create('one')).rejects.toMatchObject(taken)
    const renamed = store.webhooks.save(by('a'), 2, saveOf(inputOf('one')))
    await expect(renamed).rejects.toMatchObject(taken)
    await create('three')
    await expect(create('four')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await store.webhooks.save(by('a'), 2, saveOf(inputOf('2', { enabled: false })))).toMatchObject({
      webhook: { id: 2, name: '2', enabled: false },
      secretId: null,
    })
    expect((await store.webhooks.list('a')).map(({ name }) => name)).toEqual(['one', '2', 'three'])
  })

  test('an unknown webhook or function, or one of another account, is missing', async () => {
    await create('w')
    const otherId = await saveNamed('g', 'b')
    await saveNamed('h', 'b')
    await expect(create('x', { functionId: 99 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no function `99`.',
    })
    await expect(store.webhooks.save(by('b'), 1, saveOf(inputOf('w')))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no webhook `1`.',
    })
    expect(otherId).toBe(1)
    await expect(store.webhooks.rotate(by('b'), 1, rotationOf(0), () => null)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await expect(store.webhooks.remove(by('b'), 1)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await liveIds('w')).toEqual([1])
  })

  test('a function that a webhook runs is not removed', async () => {
    await create('w')
    await expect(store.functions.remove(by('a'), functionId)).rejects.toMatchObject({
      reason: 'IN_USE',
      message: expect.stringContaining('is used by webhook `w`.'),
    })
    expect(await store.webhooks.remove(by('a'), 1)).toMatchObject({ id: 1 })
    expect(await liveIds('w')).toBeNull()
    expect(await store.webhooks.findSecret('a', 1, 1)).toBeNull()
    expect(await store.functions.remove(by('a'), functionId)).toMatchObject({ id: functionId })
  })

  test('of 20 saves of one name at once one creates it', async () => {
    const stores = harness.engine === 'SQLite' ? [store] : [store, await harness.open({ url })]
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        (stores[index % stores.length] ?? store).webhooks.save(by('a'), null, saveOf(inputOf('w'))),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refused = results.flatMap(each => (each.status === 'rejected' ? [each.reason.reason] : []))
    expect(refused).toEqual(Array(19).fill('NAME_TAKEN'))
  })

  test('changes of one webhook at once keep each other', async () => {
    await create('w')
    const stores = harness.engine === 'SQLite' ? [store] : [store, await harness.open({ url })]
    const changes: Partial<WebhookInput>[] = [
      { enabled: false },
      { mode: 'queued' },
      { scopes: ['cases:read'] },
      { headers: ['x-a'] },
      { name: 'v' },
    ]
    await Promise.all(
      changes.map((change, index) =>
        (stores[index % stores.length] ?? store).webhooks.save(by('a'), 1, {
          ...saveOf(inputOf('w')),
          complete: before => complete({ ...(before ?? inputOf('w')), ...change })(),
        }),
      ),
    )
    const all = Object.assign({}, ...changes)
    expect(await store.webhooks.list('a')).toEqual([{ id: 1, ...inputOf('v', all) }])
  })

  test('a change that is refused changes nothing, its secret included', async () => {
    await create('w')
    const error = invalidInput([])
    const refused = { ...saveOf(inputOf('w')), rotates: true, complete: () => error }
    await expect(store.webhooks.save(by('a'), 1, refused)).rejects.toBe(error)
    await expect(store.webhooks.rotate(by('a'), 1, rotationOf(0), () => error)).rejects.toBe(error)
    expect(await liveIds('w')).toEqual([1])
  })

  test('a change with a secret keeps the earlier ones for the overlap', async () => {
    await create('w')
    const change = { ...saveOf(inputOf('v')), rotates: true, rotation: rotationOf(60_000) }
    expect(await store.webhooks.save(by('a'), 1, change)).toMatchObject({
      webhook: { name: 'v' },
      secretId: 2,
    })
    expect(await liveIds('v')).toEqual([2, 1])
  })

  test('the function is found by its name, of those without a case type', async () => {
    await saveFunction(store, versionOf('exit()', { name: 'g', caseTypeCode: 't' }), by('a'))
    const named = (name: string) =>
      store.webhooks.save(by('a'), null, {
        ...saveOf(inputOf('w')),
        complete: () => ({ ...complete(inputOf('w'))(), function: { name } }),
      })
    await expect(named('g')).rejects.toMatchObject({
      message: 'There is no function `g` of all case types, and a webhook takes no other.',
    })
    const id = await saveNamed('g', 'a')
    expect(await named('g')).toMatchObject({ webhook: { functionId: id } })
  })

  describe('a rotated secret', () => {
    async function readEnd(secretId: number): Promise<unknown> {
      const query = `select ends_at as "endsAt" from webhook_secrets where id = ${secretId}`
      const rows = await readRows<{ endsAt: unknown }>(url, query)
      return rows[0]?.endsAt
    }

    const rotate = (overlapMs: number) => store.webhooks.rotate(by('a'), 1, rotationOf(overlapMs), () => null)

    test('leaves the earlier ones live for the overlap, up to three of them', async () => {
      await create('w')
      expect(await rotate(60_000)).toMatchObject({ secretId: 2 })
      await rotate(60_000)
      expect(await liveIds('w')).toEqual([3, 2, 1])
      await rotate(60_000)
      expect(await liveIds('w')).toEqual([4, 3, 2])
    })

    test('ends them with the overlap, or at once without one', async () => {
      await create('w')
      await rotate(dayMs)
      expect(await liveIds('w')).toEqual([2, 1])
      await rotate(1)
      await expect.poll(() => liveIds('w')).toEqual([3])
      expect(await store.webhooks.findSecret('a', 1, 1)).toBeNull()
      await rotate(0)
      expect(await liveIds('w')).toEqual([4])
    })

    test('does not lengthen the time of one that ends before', async () => {
      await create('w')
      await rotate(dayMs)
      const endOfFirst = await readEnd(1)
      await rotate(2 * dayMs)
      expect(await readEnd(1)).toEqual(endOfFirst)
      expect(await readEnd(2)).not.toEqual(endOfFirst)
    })
  })

  describe('a message', () => {
    const claimOf = (holder: string, rest: Partial<KeyClaimRequest> = {}): KeyClaimRequest => ({
      accountCode: 'a',
      key: 'webhook 1 d',
      fingerprint: Buffer.from('message'),
      holder,
      leaseMs: 0,
      retentionMs: dayMs,
      maxBytes: 2 ** 20,
      isRepeatable: true,
      ...rest,
    })
    const given = {
      origin: by('a'),
      run: queuedRun({ trigger: 'webhook', triggerId: 1, caseId: null }),
      writeAnswer: (id: number) => `queued ${id}`,
    }
    const queue = () => store.webhooks.queueMessage({ ...given, message: claimOf('one') })
    const age = (ms: number) => writeRows(url, ageStatement(harness.engine, ms))
    const countQueued = async () => (await store.queue.list('a', null, 0, 99)).length

    test('is queued once, in one transaction', async () => {
      const stores = harness.engine === 'SQLite' ? [store] : [store, await harness.open({ url })]
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (stores[index % stores.length] ?? store).webhooks.queueMessage({
            ...given,
            message: claimOf(`${index}`),
          }),
        ),
      )
      expect(results.filter(({ kind }) => kind === 'queued')).toEqual([
        { kind: 'queued', answer: 'queued 1' },
      ])
      const replays = results.filter(({ kind }) => kind === 'replayed')
      expect(replays).toEqual(Array(19).fill({ kind: 'replayed', answer: 'queued 1' }))
      expect(await countQueued()).toBe(1)
      await store.webhooks.queueMessage({ ...given, message: null })
      expect(await countQueued()).toBe(2)
    })

    test('counts to the bytes of the account: a new one past them queues nothing', async () => {
      const queueUnder = (key: string) =>
        store.webhooks.queueMessage({ ...given, message: claimOf('one', { key, maxBytes: 2_500 }) })
      expect(await queueUnder('webhook 1 a')).toEqual({ kind: 'queued', answer: 'queued 1' })
      expect(await queueUnder('webhook 1 b')).toEqual({ kind: 'queued', answer: 'queued 2' })
      expect(await queueUnder('webhook 1 c')).toEqual({ kind: 'full' })
      expect(await queueUnder('webhook 1 a')).toEqual({ kind: 'replayed', answer: 'queued 1' })
      expect(await countQueued()).toBe(2)
    })

    test('is new again after its retention, and not before', async () => {
      expect(await queue()).toMatchObject({ kind: 'queued' })
      await age(dayMs - 60_000)
      expect(await queue()).toMatchObject({ kind: 'replayed' })
      expect(await store.idempotency.deleteExpired(dayMs, 9)).toBe(0)
      await age(60_000)
      expect(await queue()).toEqual({ kind: 'queued', answer: 'queued 2' })
      expect(await countQueued()).toBe(2)
    })

    test('that was taken over from a dead gateway is kept for its retention from then on', async () => {
      expect(await store.idempotency.claim(claimOf('dead'))).toEqual({ kind: 'claimed' })
      await age(dayMs - 60_000)
      expect(await queue()).toEqual({ kind: 'queued', answer: 'queued 1' })
      await age(120_000)
      expect(await queue()).toEqual({ kind: 'replayed', answer: 'queued 1' })
    })

    test('that runs at a living gateway is held', async () => {
      const claimed = await store.idempotency.claim(claimOf('other', { leaseMs: 60_000 }))
      expect(claimed).toEqual({ kind: 'claimed' })
      if (harness.engine === 'SQLite') return
      const result = await store.webhooks.queueMessage({ ...given, message: claimOf('one') })
      expect(result).toEqual({ kind: 'held' })
    })
  })
})

function ageStatement(engine: string, ms: number): string {
  const older = engine === 'SQLite' ? `created_at - ${ms}` : `created_at - interval '${ms} milliseconds'`
  return `update idempotency_keys set created_at = ${older}`
}
