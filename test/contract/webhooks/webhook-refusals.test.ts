import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../server/clients/send-request.ts'
import {
  deliver,
  type SavedWebhook,
  saveWebhook,
  signGithub,
  signStandard,
} from '../../server/clients/webhooks.ts'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer
let webhook: SavedWebhook
let github: SavedWebhook
let secret: SavedWebhook
beforeAll(async () => {
  server = await shareServer()
  const sourceCode = 'log("it ran"); exit(1)'
  webhook = await saveWebhook(server, { name: 'standard', sourceCode })
  github = await saveWebhook(server, { name: 'github', sourceCode, verification: 'GITHUB' })
  secret = await saveWebhook(server, {
    name: 'secret',
    sourceCode,
    verification: 'SECRET',
    header: 'x-secret',
  })
  const off = await saveWebhook(server, { name: 'off', sourceCode })
  const disabled = `mutation { saveWebhook(input: {
    id: "${off.id}", name: "off", functionId: 1, verification: STANDARD, enabled: false }) { secret } }`
  expect((await server.graphql(disabled)).body.data).toEqual({ saveWebhook: { secret: null } })
  disabledSecret = off.secret
})
let disabledSecret = ''

const fixed = ({ status, headers, text }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
})

const pathOf = (name: string) => `/api/1/webhook/${server.account}/${name}`
const signed = (body = '') => signStandard({ secret: webhook.secret, body })
const now = () => Math.floor(Date.now() / 1_000)

describe('every refusal is the same 401, byte for byte', () => {
  const refusals: [string, () => Promise<Answer>][] = [
    ['of an unknown account', () => deliver(server, '/api/1/webhook/nobody/standard', { headers: signed() })],
    ['of an unknown name', () => deliver(server, pathOf('nothing'), { headers: signed() })],
    ['of an unknown name again', () => deliver(server, pathOf('nothing'), { headers: signed() })],
    [
      'of another case',
      () => deliver(server, `/api/1/webhook/${server.account.toUpperCase()}/standard`, { headers: signed() }),
    ],
    ['of a name with NUL', () => deliver(server, pathOf('standard%00'), { headers: signed() })],
    ['of a name with a slash', () => deliver(server, pathOf('a%2Fb'), { headers: signed() })],
    ['of a name that cannot be decoded', () => deliver(server, pathOf('%zz'), { headers: signed() })],
    ['of a name that is not UTF-8', () => deliver(server, pathOf('%ff'), { headers: signed() })],
    ['of an account that cannot be decoded', () => deliver(server, '/api/1/webhook/%/standard?a=%zz', {})],
    ['of an empty name', () => deliver(server, pathOf(''), { headers: signed() })],
    ['of an empty account', () => deliver(server, '/api/1/webhook//standard', { headers: signed() })],
    ['of a long name', () => deliver(server, pathOf('x'.repeat(10_000)), {})],
    ['of a disabled webhook', () => deliver(server, pathOf('off'), { headers: signed() })],
    [
      'of a disabled webhook with its own signature',
      () => deliver(server, pathOf('off'), { headers: signStandard({ secret: disabledSecret }) }),
    ],
    ['of no signature', () => deliver(server, webhook.path, {})],
    ['of another body', () => deliver(server, webhook.path, { body: '{}', headers: signed() })],
    [
      'of a compressed body',
      () => deliver(server, webhook.path, { body: '{}', headers: { 'content-encoding': 'gzip' } }),
    ],
    ['of a bad content type', () => deliver(server, webhook.path, { body: '{}', type: 'nonsense' })],
    ['of a bad type for an unknown name', () => deliver(server, `${webhook.path}s`, { type: 'a/b/c' })],
    ['of a body that is no JSON', () => deliver(server, webhook.path, { body: '{', headers: signed() })],
    [
      'of an old timestamp',
      () =>
        deliver(server, webhook.path, {
          headers: signStandard({ secret: webhook.secret, timestamp: now() - 310 }),
        }),
    ],
    [
      'of a timestamp to come',
      () =>
        deliver(server, webhook.path, {
          headers: signStandard({ secret: webhook.secret, timestamp: now() + 310 }),
        }),
    ],
    ['of a token', () => server.rest('POST', webhook.path, { body: {} })],
    ['by GitHub', () => deliver(server, github.path, { headers: signGithub({ secret: webhook.secret }) })],
    [
      'of GitHub without an id',
      () => {
        const { 'x-hub-signature-256': signature } = signGithub({ secret: github.secret })
        return deliver(server, github.path, { headers: { 'x-hub-signature-256': signature } })
      },
    ],
    ['of a wrong secret', () => deliver(server, secret.path, { headers: { 'x-secret': webhook.secret } })],
  ]

  test.each(refusals)('%s', async (_, send) => {
    const answer = await send()
    expect(answer.body).toEqual({
      type: 'urn:rostrum:problem:unauthenticated',
      title: 'Unauthenticated',
      status: 401,
      detail: 'There is no such webhook, or the signature is not valid.',
      code: 'UNAUTHENTICATED',
    })
    expect(answer.headers.get('www-authenticate')).toBe('WebhookSignature realm="rostrum"')
    const expected = await deliver(server, pathOf('standard'), {})
    expect(fixed(answer)).toEqual(fixed(expected))
  })

  test('and none of them ran the function', async () => {
    const { body } = await server.graphql(
      '{ runs(filter: {trigger: WEBHOOK}, first: 1) { edges { cursor } } }',
    )
    expect(body.data).toEqual({ runs: { edges: [] } })
  })
})

test('a webhook works at once after a delivery that was refused for its absence', async () => {
  expect((await deliver(server, pathOf('later'), {})).status).toBe(401)
  const later = await saveWebhook(server, { name: 'later', sourceCode: 'exit(2)' })
  const headers = signStandard({ secret: later.secret })
  expect(await deliver(server, later.path, { headers })).toMatchObject({ status: 200, body: 2 })
})

describe('a body', () => {
  const size = 256 * 2 ** 10

  test('of 256 KiB is taken, and a larger one is 413 whether it is signed or not', async () => {
    const largest = JSON.stringify('x'.repeat(size - 2))
    expect((await deliver(server, webhook.path, { body: largest, headers: signed(largest) })).status).toBe(
      200,
    )
    const larger = `${largest} `
    for (const headers of [signed(larger), {}]) {
      for (const path of [webhook.path, pathOf('nothing')]) {
        const answer = await deliver<ProblemBody>(server, path, { body: larger, headers })
        expect([answer.status, answer.body.detail]).toEqual([
          413,
          `The body is larger than ${size} bytes; send less.`,
        ])
      }
    }
  })

  test('that is signed and compressed, or has a bad type, is 415', async () => {
    const headers = { ...signed('{}'), 'content-encoding': 'gzip' }
    const encoded = await deliver<ProblemBody>(server, webhook.path, { headers, body: '{}' })
    expect([encoded.status, encoded.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    for (const type of ['nonsense', 'a/b/c', '/json', 'text/', 'text /plain']) {
      const answer = await deliver<ProblemBody>(server, webhook.path, {
        type,
        body: '{}',
        headers: signed('{}'),
      })
      expect([type, answer.status, answer.body.detail]).toEqual([
        type,
        415,
        'The `Content-Type` is not a media type.',
      ])
    }
  })
})

describe('a rotated secret', () => {
  const rotate = async (id: string, overlapHours: number) => {
    const document = `mutation ($id: ID!, $hours: Int!) {
      rotateWebhookSecret(id: $id, overlapHours: $hours) { secret webhook { id } } }`
    const { body } = await server.graphql<{ rotateWebhookSecret: { secret: string } }>(document, {
      id,
      hours: overlapHours,
    })
    return body.data?.rotateWebhookSecret.secret ?? ''
  }
  const statusWith = async (key: string) =>
    (await deliver(server, pathOf('rotated'), { headers: signStandard({ secret: key }) })).status

  test('works at once, the earlier ones for the overlap, and a fourth ends the oldest', async () => {
    const rotated = await saveWebhook(server, { name: 'rotated', sourceCode: 'exit(1)' })
    const secrets = [rotated.secret]
    for (let count = 0; count < 3; count++) secrets.push(await rotate(rotated.id, 24))
    expect(new Set(secrets).size).toBe(4)
    expect(await Promise.all(secrets.map(statusWith))).toEqual([401, 200, 200, 200])
    secrets.push(await rotate(rotated.id, 0))
    expect(await Promise.all(secrets.map(statusWith))).toEqual([401, 401, 401, 401, 200])
    const both = signStandard({ secret: secrets[0] ?? '', id: 'm', timestamp: now() })
    const last = signStandard({ secret: secrets[4] ?? '', id: 'm', timestamp: now() })
    const headers = {
      ...last,
      'webhook-signature': `${both['webhook-signature']} ${last['webhook-signature']}`,
    }
    expect((await deliver(server, rotated.path, { headers })).status).toBe(200)
  })
})
