import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server/start-server.ts'
import { deliver, saveFunction, saveWebhook, signStandard } from '../server/webhooks.ts'

let server: TestServer
let functionId: string
beforeAll(async () => {
  server = await startServer()
  functionId = await saveFunction(server, 'echo', 'exit(payload)')
})
afterAll(() => server.stop())

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
      webhook: { id: webhook.id, name: 'renamed', header: 'x-key', headers: [], scopes: [] },
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
    await save({ name: 'taken' })
    const taken = await save({ name: 'taken' })
    expect(errorOf(taken)?.extensions).toEqual({ code: 'CONFLICT', reason: 'NAME_TAKEN' })
    const token = await server.token({ account: 'demo', scopes: ['functions:write', 'functions:read'] })
    expect(errorOf(await save({ name: 'more', scopes: ['cases:read'] }, token))?.extensions).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect((await save({ name: 'own', scopes: ['functions:read'] }, token)).body.errors).toBeUndefined()
    expect(errorOf(await save({ name: 'x', functionId: '9999' }))?.extensions?.code).toBe('NOT_FOUND')
    expect(errorOf(await save({ name: 'x', id: '9999' }))?.extensions?.code).toBe('NOT_FOUND')
  })

  test('needs `functions:write`, and the list `functions:read`', async () => {
    const reader = await server.token({ account: 'demo', scopes: ['functions:read'] })
    const writer = await server.token({ account: 'demo', scopes: ['functions:write'] })
    expect(errorOf(await save({ name: 'x' }, reader))?.extensions?.code).toBe('FORBIDDEN')
    const list = (token: string) => server.graphql('{ webhooks { id } }', {}, token)
    expect((await list(writer)).body.errors?.[0]?.extensions?.code).toBe('FORBIDDEN')
    expect((await list(reader)).body.errors).toBeUndefined()
  })

  test('stops at 100 webhooks of an account', async () => {
    const token = await server.token({ account: 'many' })
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
    const file = server.settings.DATABASE_URL?.slice('sqlite:'.length) ?? ''
    for (const path of [file, `${file}-wal`]) {
      const bytes = readFileSync(path)
      expect(bytes.includes(secret.slice('whsec_'.length))).toBe(false)
      expect(bytes.includes(Buffer.from(secret.slice('whsec_'.length), 'base64'))).toBe(false)
    }
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
