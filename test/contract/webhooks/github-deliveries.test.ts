import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { deliver, type SavedWebhook, saveWebhook } from '../../server/clients/webhooks.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

// Deliveries with the headers and the members that GitHub's documentation shows. `openssl dgst -sha256 -hmac` made the
// digests, from the bytes of the body and this secret of its examples, which the webhook gets.
const secret = "It's a Secret to Everybody"

interface Delivered {
  readonly event: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const lines = readFileSync(`${import.meta.dirname}/github/deliveries.jsonl`, 'utf8')
  .trimEnd()
  .split('\n')
const deliveries = lines.map(line => JSON.parse(line) as Delivered)
const titled = deliveries.map(
  delivery => [`${delivery.event} as ${delivery.headers['content-type']}`, delivery] as const,
)

interface Echo {
  readonly payload: unknown
  readonly headers: unknown
}

let server: SharedServer
let webhook: SavedWebhook
beforeAll(async () => {
  server = await shareServer()
  webhook = await saveWebhook(server, {
    name: 'github',
    verification: 'GITHUB',
    sourceCode: 'log("it ran"); exit({ payload, headers: options.params.headers })',
    headers: ['X-GitHub-Event', 'X-GitHub-Hook-ID', 'Content-Type', 'User-Agent'],
    secret,
  })
})

const send = ({ body, headers }: Delivered) => deliver<Echo>(server, webhook.path, { body, headers })

const countRuns = async () => {
  const { body } = await server.graphql<{ runs: { nodes: unknown[] } }>(
    '{ runs(filter: {trigger: WEBHOOK}, first: 100) { nodes { id } } }',
  )
  return body.data?.runs.nodes.length
}

test.each(titled)(
  '%s is refused with one byte changed, or the digest of another one',
  async (_, delivery) => {
    const { body, headers } = delivery
    for (const changed of [` ${body}`, `${body}\n`, body.replace('octo-ann', 'octo-amn'), body.slice(1)]) {
      expect((await send({ ...delivery, body: changed })).status).toBe(401)
    }
    const other = deliveries.find(({ body }) => body !== delivery.body)?.headers['x-hub-signature-256'] ?? ''
    expect((await send({ ...delivery, headers: { ...headers, 'x-hub-signature-256': other } })).status).toBe(
      401,
    )
    const { 'x-hub-signature-256': _signature, ...withSha1 } = headers
    expect((await send({ ...delivery, headers: withSha1 })).status).toBe(401)
    const { 'x-github-delivery': _id, ...withoutId } = headers
    expect((await send({ ...delivery, headers: withoutId })).status).toBe(401)
  },
)

test.each(titled)('%s runs with its payload and headers', async (_, delivery) => {
  const { body, headers } = delivery
  const isForm = headers['content-type'] !== 'application/json'
  const answer = await send(delivery)
  expect([answer.status, answer.headers.get('idempotency-replayed')], answer.text).toEqual([200, null])
  const payload = isForm ? { payload: new URLSearchParams(body).get('payload') } : JSON.parse(body)
  const given = ['x-github-event', 'x-github-hook-id', 'content-type', 'user-agent']
  expect(answer.body).toEqual({
    payload,
    headers: Object.fromEntries(given.map(name => [name, headers[name]])),
  })
})

test('what GitHub delivers again is not run again', async () => {
  await expect.poll(countRuns).toBe(deliveries.length)
  for (const delivery of deliveries) {
    expect((await send(delivery)).headers.get('idempotency-replayed')).toBe('true')
  }
  expect(await countRuns()).toBe(deliveries.length)
})
