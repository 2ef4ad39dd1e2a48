import { beforeAll, describe, expect, test } from 'vitest'
import {
  deliver,
  type SavedWebhook,
  saveWebhook,
  signGithub,
  signStandard,
} from '../../server/clients/webhooks.ts'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { writeRows } from '../../store/databases/write-rows.ts'

const echo = `exit({ payload, params: options.params, user: options.current_user, context: requestContext() })`

interface Echo {
  readonly payload: unknown
  readonly params: Readonly<Record<string, unknown>>
  readonly user: unknown
  readonly context: { readonly txnID: string; readonly txnSource: string }
}

let server: SharedServer
let standard: SavedWebhook
let github: SavedWebhook
let secret: SavedWebhook
beforeAll(async () => {
  server = await shareServer()
  standard = await saveWebhook(server, { name: 'standard', sourceCode: echo, headers: ['X-Event', 'Accept'] })
  github = await saveWebhook(server, { name: 'github', sourceCode: echo, verification: 'GITHUB' })
  secret = await saveWebhook(server, {
    name: 'secret',
    sourceCode: echo,
    verification: 'SECRET',
    header: 'X-Secret',
  })
})

const send = (body: string, type = 'application/json') =>
  deliver<Echo>(server, standard.path, {
    body,
    type,
    headers: signStandard({ secret: standard.secret, body }),
  })

describe('a signed delivery', () => {
  test('runs the function and answers exactly what it gives to exit', async () => {
    const answer = await send('{"a":[1,{"b":null}]}')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ])
    expect(answer.body.payload).toEqual({ a: [1, { b: null }] })
    expect(answer.body.user).toEqual({
      id: null,
      email: null,
      display_name: null,
      account_code: server.account,
    })
    expect(answer.body.context.txnSource).toMatch(/^webhook\|-\/standard\|\d{4}-.*Z$/)
  })

  test.each([
    ['{"a":1}', 'application/json; charset=utf-8', { a: 1 }],
    ['{"a":1}', 'application/cloudevents+json', { a: 1 }],
    ['\ufeff[1]', 'application/json', [1]],
    [
      '{"__proto__":{"a":1},"constructor":2}',
      'application/json',
      JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
    ],
    ['a=1&b=%C3%BC+x&a=2&c', 'application/x-www-form-urlencoded', { a: ['1', '2'], b: 'ü x', c: '' }],
    ['{"a":1', 'text/plain', '{"a":1'],
    ['<a>ü\u0000</a>', 'application/xml', '<a>ü\u0000</a>'],
    ['a', 'application/octet-stream', 'a'],
    ['', 'application/json', null],
    ['', 'text/plain', null],
  ])('has the payload of %j as %s', async (body, type, payload) => {
    const answer = await send(body, type)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.payload).toEqual(payload)
  })

  test('has its method, query and the listed headers alone in `options.params`', async () => {
    const headers = { ...signStandard({ secret: standard.secret }), 'X-EVENT': 'push', 'x-other': 'no' }
    const path = `${standard.path}?a=1&b=2&b=3&__proto__=x`
    const { body } = await deliver<Echo>(server, path, { headers })
    expect(body.params).toEqual({
      method: 'POST',
      headers: { 'x-event': 'push', accept: '*/*' },
      query: JSON.parse('{"a":"1","b":["2","3"],"__proto__":"x"}'),
    })
  })

  test('keeps credentials from a function whose webhook listed them before they were refused', async () => {
    const order = { name: 'old', sourceCode: echo, headers: ['x-a'] }
    const old = await saveWebhook(server, order)
    const list = 'x-a authorization x-api-key webhook-signature'
    const ofOld = `account_code = '${server.account}' and name = 'old'`
    await writeRows(server.settings.DATABASE_URL, `update webhooks set headers = '${list}' where ${ofOld}`)
    const signed = signStandard({ secret: old.secret })
    const headers = { ...signed, 'x-a': '1', authorization: 'Bearer abc', 'x-api-key': 'k' }
    const { body } = await deliver<Echo>(server, old.path, { headers })
    expect(body.params.headers).toEqual({ 'x-a': '1' })
  })

  test.each([
    ['{"a":', 'application/json'],
    ['not json', 'text/json'],
    ['a=%ff', 'application/x-www-form-urlencoded'],
  ])('that is %j as %s is 400', async (body, type) => {
    const answer = await send(body, type)
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'BAD_USER_INPUT' }])
  })

  test('of GitHub and one with the secret itself run too', async () => {
    const body = '{"zen":"Keep it logically awesome."}'
    const headers = signGithub({ secret: github.secret, body })
    expect(await deliver(server, github.path, { body, headers })).toMatchObject({
      status: 200,
      body: { payload: { zen: 'Keep it logically awesome.' } },
    })
    const withSecret = { 'x-secret': secret.secret }
    expect((await deliver(server, secret.path, { body, headers: withSecret })).status).toBe(200)
  })

  test('is kept as a run with its trigger, input and scopes', async () => {
    const { body } = await send('{"kept":true}')
    const findRuns = async () => {
      const runs = await server.graphql(
        `query ($id: String!) { runs(filter: {txnID: $id}, first: 1) { edges { node {
          name trigger byUserId scopes input outcome function { name } options } } } }`,
        { id: body.context.txnID },
      )
      return runs.body.data
    }
    await expect.poll(findRuns).toMatchObject({
      runs: {
        edges: [
          {
            node: {
              name: 'standard',
              trigger: 'WEBHOOK',
              byUserId: null,
              scopes: [],
              input: { kept: true },
              outcome: 'EXIT',
              function: { name: 'standard' },
              options: { params: { method: 'POST' } },
            },
          },
        ],
      },
    })
  })
})

describe('a function of a webhook', () => {
  const sendTo = (webhook: SavedWebhook) =>
    deliver<ProblemBody>(server, webhook.path, { headers: signStandard({ secret: webhook.secret }) })

  test('that fails or throws is 422, with the code of an error alone', async () => {
    const fails = await saveWebhook(server, { name: 'fails', sourceCode: 'fail("No owner.")' })
    expect(await sendTo(fails)).toMatchObject({
      status: 422,
      body: {
        code: 'SCRIPT_FAILED',
        detail: 'No owner.',
        run_id: expect.any(String),
        txn_id: expect.any(String),
      },
    })
    const throws = await saveWebhook(server, {
      name: 'throws',
      sourceCode: 'throw new Error("hidden detail")',
    })
    const answer = await sendTo(throws)
    expect(answer).toMatchObject({ status: 422, body: { code: 'SCRIPT_ERROR', error: { code: 'RUNTIME' } } })
    expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(answer.text).not.toContain('hidden')
    const { run_id: id } = answer.body as { readonly run_id?: string }
    const kept = await server.graphql('query($id: ID!) { run(id: $id) { state outcome trigger } }', { id })
    expect(kept.body.data).toEqual({ run: { state: 'ENDED', outcome: 'ERROR', trigger: 'WEBHOOK' } })
  })

  test('has exactly the scopes of the webhook', async () => {
    const sourceCode = `const { data, errors } = await graphql('{ viewer { scopes } teamMembership(id: 1) { id } }')
      exit({ scopes: data?.viewer.scopes, code: errors?.[0].extensions.code ?? null })`
    const none = await saveWebhook(server, { name: 'no-rights', sourceCode })
    expect((await sendTo(none)).body).toEqual({ scopes: [], code: 'FORBIDDEN' })
    const scopes = ['memberships:read']
    const some = await saveWebhook(server, { name: 'some-rights', sourceCode, scopes })
    expect((await sendTo(some)).body).toEqual({ scopes, code: null })
  })
})

describe('the path', () => {
  test('takes POST alone', async () => {
    const answer = await server.rest('GET', standard.path)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })
})
