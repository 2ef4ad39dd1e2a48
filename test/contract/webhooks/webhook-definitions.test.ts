import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  deliver,
  type SavedWebhook,
  saveFunction,
  saveWebhook,
  signGithub,
  signStandard,
  signSvix,
} from '../../server/clients/webhooks.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer
let functionId: string
beforeAll(async () => {
  server = await shareServer()
  functionId = await saveFunction(server, 'echo', 'exit(payload)')
})

interface Saved {
  readonly secret: string | null
  readonly webhook: { readonly id: string; readonly name: string }
}

const saving = `mutation ($input: SaveWebhookInput!) { saveWebhook(input: $input) { secret webhook {
  id name function { id name } verification header headers mode scopes enabled } } }`

function save(input: Readonly<Record<string, unknown>>, token?: string) {
  const given = { verification: 'STANDARD', functionId, ...input }
  return server.graphql<{ saveWebhook: Saved | null }>(saving, { input: given }, token)
}

const errorOf = ({ body }: Awaited<ReturnType<typeof save>>) => body.errors?.[0]

describe('saveWebhook', () => {
  test('gives a new webhook a secret, which a change keeps', async () => {
    const { body } = await save({ name: 'first', headers: ['X-A', 'x-a', 'X-B'], scopes: ['cases:read'] })
    const { secret, webhook } = body.data?.saveWebhook ?? { secret: '', webhook: { id: '' } }
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(webhook).toEqual({
      id: webhook.id,
      name: 'first',
      function: { id: functionId, name: 'echo' },
      verification: 'STANDARD',
      header: null,
      headers: ['x-a', 'x-b'],
      mode: 'QUEUED',
      scopes: ['cases:read'],
      enabled: true,
    })
    const changed = await save({ id: webhook.id, name: 'renamed', verification: 'SECRET', header: 'X-Key' })
    expect(changed.body.data?.saveWebhook).toMatchObject({
      secret: null,
      webhook: {
        id: webhook.id,
        name: 'renamed',
        header: 'x-key',
        headers: ['x-a', 'x-b'],
        scopes: ['cases:read'],
      },
    })
    const list = await server.graphql('{ webhooks { id name function { name } } }')
    expect(list.body.data).toEqual({
      webhooks: [{ id: webhook.id, name: 'renamed', function: { name: 'echo' } }],
    })
  })

  test.each([
    [{ name: '' }, '/name'],
    [{ name: 'a b' }, '/name'],
    [{ name: 'x'.repeat(65) }, '/name'],
    [{ verification: 'SECRET' }, '/header'],
    [{ verification: 'SECRET', header: 'a b' }, '/header'],
    [{ verification: 'SECRET', header: 'Content-Length' }, '/header'],
    [{ header: 'x-key' }, '/header'],
    [{ headers: ['Authorization'] }, '/headers/0'],
    [{ headers: ['x-a', 'cookie'] }, '/headers/1'],
    [{ headers: ['Proxy-Authorization'] }, '/headers/0'],
    [{ headers: ['webhook-signature'] }, '/headers/0'],
    [{ headers: ['Svix-Signature'] }, '/headers/0'],
    [{ headers: ['X-Hub-Signature-256'] }, '/headers/0'],
    [{ headers: ['X-API-Key'] }, '/headers/0'],
    [{ headers: ['x-a', 'Stripe-Signature'] }, '/headers/1'],
    [{ headers: ['x-a', 'X_Client_Secret'] }, '/headers/1'],
    [{ headers: ['X-Key'], verification: 'SECRET', header: 'x-key' }, '/headers/0'],
    [{ headers: ['ü'] }, '/headers/0'],
    [{ headers: Array.from({ length: 33 }, (_, index) => `x-${index}`) }, '/headers'],
    [{ scopes: ['everything'] }, '/scopes/0'],
  ])('refuses %j', async (input, pointer) => {
    const error = errorOf(await save({ name: 'bad', ...input }))
    expect(error?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ pointer }] })
  })

  test('refuses a name that is taken, a scope that the caller lacks, and unknown ids', async () => {
    const { body } = await save({ name: 'taken' })
    const existingId = Number(body.data?.saveWebhook?.webhook.id)
    const taken = await save({ name: 'taken' })
    expect(errorOf(taken)?.extensions).toEqual({ code: 'CONFLICT', reason: 'NAME_TAKEN', existingId })
    const token = await server.token({
      account: server.account,
      scopes: ['functions:write', 'functions:read'],
    })
    expect(errorOf(await save({ name: 'more', scopes: ['cases:read'] }, token))?.extensions).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect((await save({ name: 'own', scopes: ['functions:read'] }, token)).body.errors).toBeUndefined()
    expect(errorOf(await save({ name: 'x', functionId: '9999' }))?.extensions?.code).toBe('NOT_FOUND')
    expect(errorOf(await save({ name: 'x', id: '9999' }))?.extensions?.code).toBe('NOT_FOUND')
  })

  test('needs `functions:write`, and the list `functions:read`', async () => {
    const reader = await server.token({ account: server.account, scopes: ['functions:read'] })
    const writer = await server.token({ account: server.account, scopes: ['functions:write'] })
    expect(errorOf(await save({ name: 'x' }, reader))?.extensions?.code).toBe('FORBIDDEN')
    const list = (token: string) => server.graphql('{ webhooks { id } }', {}, token)
    expect((await list(writer)).body.errors?.[0]?.extensions?.code).toBe('FORBIDDEN')
    expect((await list(reader)).body.errors).toBeUndefined()
  })

  test('stops at 100 webhooks of an account', async () => {
    const token = await server.token({ account: `${server.account}-many` })
    const own = await saveFunction(server, 'f', 'exit(1)', token)
    const saves = Array.from({ length: 100 }, (_, count) =>
      save({ name: `w${count}`, functionId: own }, token),
    )
    for (const saved of await Promise.all(saves)) expect(saved.body.errors).toBeUndefined()
    const refused = errorOf(await save({ name: 'w100', functionId: own }, token))
    expect(refused?.extensions).toEqual({ code: 'CONFLICT', reason: 'LIMIT' })
    expect(refused?.message).toMatch(/100/)
  })

  test('keeps the secret out of the database and out of a repeated answer', async () => {
    const headers = { 'idempotency-key': 'one-webhook' }
    const body = {
      query: saving,
      variables: { input: { name: 'keyed', verification: 'STANDARD', functionId } },
    }
    const send = () => server.rest<{ data: { saveWebhook: Saved } }>('POST', '/graphql', { body, headers })
    const first = await send()
    const secret = first.body.data.saveWebhook.secret ?? ''
    expect(secret).toMatch(/^whsec_/)
    const again = await send()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.body.data.saveWebhook).toEqual({ ...first.body.data.saveWebhook, secret: null })
    const file = server.settings.DATABASE_URL.slice('sqlite:'.length)
    for (const path of [file, `${file}-wal`]) {
      const bytes = readFileSync(path)
      expect(bytes.includes(secret.slice('whsec_'.length))).toBe(false)
      expect(bytes.includes(Buffer.from(secret.slice('whsec_'.length), 'base64'))).toBe(false)
    }
  })
})

describe('a change', () => {
  const change = async (input: object, token?: string) => {
    const { body } = await server.graphql<{ saveWebhook: Saved | null }>(saving, { input }, token)
    return { saved: body.data?.saveWebhook?.webhook, error: body.errors?.[0] }
  }
  const create = (name: string, rest: object = {}) =>
    saveWebhook(server, { name, sourceCode: 'exit(payload)', ...rest })

  test('keeps what it leaves out', async () => {
    const given = { verification: 'SECRET', mode: 'SYNC', header: 'x-key', headers: ['x-a'] } as const
    const { id } = await create('kept', { ...given, scopes: ['cases:read'] })
    const kept = { id, name: 'kept', enabled: true, ...given, scopes: ['cases:read'] }
    expect((await change({ id })).saved).toMatchObject(kept)
    expect((await change({ id, enabled: false })).saved).toMatchObject({ ...kept, enabled: false })
    const changed = { name: 'kept-2', mode: 'QUEUED', headers: [], scopes: [], enabled: true }
    expect((await change({ id, ...changed })).saved).toMatchObject({ ...kept, ...changed })
    expect((await change({ id, headers: ['X-B', 'x-b'] })).saved).toMatchObject({ headers: ['x-b'] })
  })

  test('to another verification drops the header with `SECRET`, and needs one for it', async () => {
    const { id } = await create('switch', { verification: 'SECRET', header: 'x-key' })
    expect((await change({ id, header: null })).error?.extensions).toMatchObject({
      errors: [{ pointer: '/header' }],
    })
    expect((await change({ id, verification: 'GITHUB', header: 'x-key' })).error?.extensions).toMatchObject({
      errors: [{ pointer: '/header', detail: 'is for `SECRET` alone' }],
    })
    expect((await change({ id, verification: 'GITHUB' })).saved).toMatchObject({ header: null })
    expect((await change({ id, verification: 'SECRET' })).error?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ pointer: '/header' }],
    })
  })

  test('checks the completed webhook: a listed header must not become that of the secret', async () => {
    const { id } = await create('listed', { headers: ['x-key'] })
    const refused = await change({ id, verification: 'SECRET', header: 'X-Key' })
    expect(refused.error?.extensions).toMatchObject({ errors: [{ pointer: '/headers/0' }] })
  })

  test('takes a null for no value but the header', async () => {
    const { id } = await create('null')
    for (const name of ['name', 'functionId', 'verification', 'headers', 'mode', 'scopes', 'enabled']) {
      expect((await change({ id, [name]: null })).error, name).toMatchObject({
        message: expect.stringContaining(`\`${name}\` must not be null`),
        extensions: { code: 'BAD_USER_INPUT' },
      })
    }
    expect((await change({ id, header: null, secret: null })).saved).toMatchObject({ header: null })
    expect((await change({})).error?.message).toBe(
      '`name` is required for a new webhook; `verification` is required for a new webhook; ' +
        '`functionId` is required for a new webhook, unless you give `functionName`.',
    )
  })

  test('names the function, of those without a case type', async () => {
    const ofType = `mutation { saveFunction(input: {
      name: "typed", caseTypeCode: "t", sourceCode: "exit(1)" }) { id } }`
    await server.graphql(ofType)
    const named = { name: 'named', verification: 'STANDARD' }
    expect((await change({ ...named, functionName: 'typed' })).error?.extensions.code).toBe('NOT_FOUND')
    const { saved } = await change({ ...named, functionName: 'echo' })
    expect(saved).toMatchObject({ function: { id: functionId, name: 'echo' } })
    const own = await saveFunction(server, 'typed', 'exit(2)')
    const changed = await change({ id: saved?.id, functionName: 'typed' })
    expect(changed.saved).toMatchObject({ function: { id: own } })
    const both = await change({ id: saved?.id, functionName: 'typed', functionId })
    expect(both.error?.message).toContain('`functionName` must not stand beside `functionId`')
  })

  test('needs each scope that the webhook keeps', async () => {
    const { id } = await create('strong', { scopes: ['memberships:write'] })
    const scopes = ['functions:write', 'functions:read'] as const
    const token = await server.token({ account: server.account, user: 5, scopes: [...scopes] })
    for (const input of [
      { id, enabled: false },
      { id, secret: `whsec_${'A'.repeat(32)}` },
    ]) {
      expect((await change(input, token)).error).toMatchObject({
        extensions: { code: 'FORBIDDEN', scope: 'memberships:write' },
      })
    }
    expect((await change({ id, scopes: [] }, token)).saved).toMatchObject({ scopes: [], enabled: true })
  })

  test('of another account finds neither its webhook nor its function', async () => {
    const { id } = await create('private')
    const token = await server.token({ account: `${server.account}-stranger` })
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    for (const input of [{ id }, { id, functionId }, { id, functionName: 'echo' }, { id, secret }]) {
      const { error } = await change(input, token)
      expect(error).toMatchObject({
        message: `There is no webhook \`${id}\`.`,
        extensions: { code: 'NOT_FOUND' },
      })
    }
    const rotating = 'mutation ($id: ID!, $s: String) { rotateWebhookSecret(id: $id, secret: $s) { secret } }'
    const rotated = await server.graphql(rotating, { id, s: secret }, token)
    expect(rotated.body.errors?.[0]?.extensions.code).toBe('NOT_FOUND')
    const own = { name: 'x', verification: 'STANDARD' }
    const { error } = await change({ ...own, functionId: '999999' }, token)
    const foreign = await change({ ...own, functionName: 'echo' }, token)
    expect([error?.extensions.code, foreign.error?.extensions.code]).toEqual(['NOT_FOUND', 'NOT_FOUND'])
  })

  test('at once with another one keeps both', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await create(`both-${round}`)
      await Promise.all([change({ id, enabled: false }), change({ id, mode: 'QUEUED' })])
      expect((await change({ id })).saved).toMatchObject({ enabled: false, mode: 'QUEUED' })
    }
  })
})

describe('a secret of the sender', () => {
  const rotating = `mutation ($id: ID!, $hours: Int! = 24, $secret: String) {
    rotateWebhookSecret(id: $id, overlapHours: $hours, secret: $secret) { secret } }`
  const whsec = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`
  const own = "It's a secret to everybody"
  const create = (name: string, rest: object) => saveWebhook(server, { name, sourceCode: 'exit(1)', ...rest })
  const statusOf = async ({ path }: Pick<SavedWebhook, 'path'>, headers: Record<string, string>) =>
    (await deliver(server, path, { headers })).status

  test('is not shown again, and checks deliveries', async () => {
    const standard = await create('own-standard', { secret: whsec(1) })
    const github = await create('own-github', { verification: 'GITHUB', secret: own })
    const secret = await create('own-secret', {
      verification: 'SECRET',
      header: 'x-gitlab-token',
      secret: own,
    })
    expect([standard.secret, github.secret, secret.secret]).toEqual([null, null, null])
    expect(await statusOf(standard, signStandard({ secret: whsec(1) }))).toBe(200)
    expect(await statusOf(github, signGithub({ secret: own }))).toBe(200)
    expect(await statusOf(secret, { 'x-gitlab-token': own })).toBe(200)
    expect(await statusOf(secret, { 'x-gitlab-token': `${own}!` })).toBe(401)
  })

  test('by `saveWebhook` and by a rotation leaves the earlier ones valid for the overlap', async () => {
    const webhook = await create('own-rotated', {})
    const { id, secret: first } = webhook
    const changed = await server.graphql<{ saveWebhook: Saved }>(saving, { input: { id, secret: whsec(2) } })
    expect(changed.body.data?.saveWebhook.secret).toBeNull()
    const rotated = await server.graphql(rotating, { id, secret: whsec(3) })
    expect(rotated.body.data).toEqual({ rotateWebhookSecret: { secret: null } })
    for (const secret of [first, whsec(2), whsec(3)]) {
      expect(await statusOf(webhook, signStandard({ secret }))).toBe(200)
    }
    const shown = await server.graphql<{ rotateWebhookSecret: { secret: string } }>(rotating, {
      id,
      hours: 0,
      secret: null,
    })
    const secret = shown.body.data?.rotateWebhookSecret.secret ?? ''
    expect(secret).toMatch(/^whsec_/)
    expect(await statusOf(webhook, signStandard({ secret: whsec(3) }))).toBe(401)
    expect(await statusOf(webhook, signStandard({ secret }))).toBe(200)
  })

  test('fits the verification that the webhook will have', async () => {
    const { id } = await create('own-checked', { verification: 'GITHUB' })
    const good = { id, verification: 'STANDARD', secret: whsec(4) }
    const refused = [
      await save({ name: 'own-bad', secret: own }),
      await save({ id, functionId, verification: 'STANDARD', secret: own }),
      await save({ id, functionId, verification: 'GITHUB', secret: 'x'.repeat(15) }),
      await server.graphql(rotating, { id, secret: 'x'.repeat(513) }),
    ]
    for (const { body } of refused) {
      expect(body.errors?.[0]?.extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        errors: [{ pointer: '/secret' }],
      })
    }
    expect((await server.graphql(saving, { input: good })).body.errors).toBeUndefined()
  })

  test('of another verification is no key for `STANDARD`, which needs one of its own', async () => {
    const text = '!'.repeat(20)
    const webhook = await create('own-switched', { verification: 'GITHUB', secret: text })
    const standard = { id: webhook.id, verification: 'STANDARD' }
    const { body } = await server.graphql(saving, { input: standard })
    expect(body.errors?.[0]).toMatchObject({
      message:
        '`verification` needs another secret than the webhook has: give a `secret`, which must be `whsec_` and 24 to ' +
        '64 bytes of base64.',
      extensions: { code: 'BAD_USER_INPUT', errors: [{ pointer: '/verification' }] },
    })
    expect(await statusOf(webhook, signGithub({ secret: text }))).toBe(200)
    await server.graphql(saving, { input: { ...standard, secret: whsec(5) } })
    // The text stays live beside the new secret.
    for (const secret of ['whsec_', `whsec_${text}`, text]) {
      expect(await statusOf(webhook, signStandard({ secret }))).toBe(401)
    }
    expect(await statusOf(webhook, signStandard({ secret: whsec(5) }))).toBe(200)
  })

  test('of `STANDARD` is kept by a change to another verification', async () => {
    const webhook = await create('own-kept', {})
    const { secret } = webhook
    await server.graphql(saving, { input: { id: webhook.id, verification: 'GITHUB' } })
    expect(await statusOf(webhook, signGithub({ secret }))).toBe(200)
    await server.graphql(saving, { input: { id: webhook.id, verification: 'STANDARD' } })
    expect(await statusOf(webhook, signStandard({ secret }))).toBe(200)
  })

  test('of Svix checks its headers, and its message id is run once', async () => {
    const webhook = await create('own-svix', { secret: whsec(6) })
    const headers = signSvix({ secret: whsec(6), id: 'msg_svix' })
    const send = () => deliver(server, webhook.path, { headers })
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status]).toEqual([200, 200])
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    const standard = signStandard({ secret: whsec(6), id: 'msg_svix' })
    const third = await deliver(server, webhook.path, { headers: standard })
    expect(third.headers.get('idempotency-replayed')).toBe('true')
  })
})

test('a function that a webhook runs cannot be removed: the refusal names the webhook', async () => {
  const used = await saveWebhook(server, { name: 'uses-it', sourceCode: 'exit(1)' })
  const { body } = await server.graphql<{ function: { id: string } }>('{ function(name: "uses-it") { id } }')
  const id = body.data?.function.id
  const remove = () => server.graphql('mutation ($id: ID!) { removeFunction(id: $id) { id } }', { id })
  const refused = (await remove()).body.errors?.[0]
  expect(refused?.message).toBe(
    `Function \`${id}\` is used by webhook \`uses-it\`. Change or remove them first.`,
  )
  expect(refused?.extensions).toEqual({ code: 'CONFLICT', reason: 'IN_USE' })
  const removal = 'mutation ($id: ID!) { removeWebhook(id: $id) { name function { name } } }'
  const removed = await server.graphql(removal, { id: used.id })
  expect(removed.body.data).toEqual({ removeWebhook: { name: 'uses-it', function: { name: 'uses-it' } } })
  expect((await deliver(server, used.path, { headers: signStandard({ secret: used.secret }) })).status).toBe(
    401,
  )
  expect((await remove()).body.errors).toBeUndefined()
})
