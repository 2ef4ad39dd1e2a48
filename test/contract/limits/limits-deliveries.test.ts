import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveWebhook, signStandard } from '../../server/clients/webhooks.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'
import { until } from '../../server/processes/until.ts'

const bytes = 2 ** 18

let upstream: Upstream
let server: TestServer
beforeAll(async () => {
  // Nobody answers, so that the first run holds the only sandbox and the others wait.
  upstream = await startUpstream(() => undefined)
  server = await startServer({
    ROSTRUM_SANDBOXES: '1',
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    ROSTRUM_BODY_BYTES: String(bytes),
  })
})
afterAll(async () => {
  await Promise.all([server.stop(), upstream.close()])
})

test.each(['with a length', 'in chunks'])(
  'an account holds 32 of the largest signed bodies that come %s',
  async framing => {
    const sourceCode = `await graphql('{ x }', {}, '${upstream.url}/'); exit(1)`
    const name = framing.replaceAll(' ', '-')
    const { path, secret } = await saveWebhook(server, { name, sourceCode })
    const text = JSON.stringify('x'.repeat(bytes - 2))
    const clients = new AbortController()
    const send = () => {
      const delivery: RequestInit & { duplex: 'half' } = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signStandard({ secret, body: text }) },
        body: framing === 'in chunks' ? new Blob([text]).stream() : text,
        duplex: 'half',
        signal: clients.signal,
      }
      return fetch(server.baseUrl + path, delivery)
    }
    const deliveries = Array.from({ length: 33 }, send)
    for (const delivery of deliveries) delivery.catch(() => undefined)
    const refused = await Promise.race(deliveries)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(((await refused.json()) as { detail: string }).detail).toMatch(
      /^Bodies of \d+ bytes of this account/,
    )
    clients.abort()
    await Promise.allSettled(deliveries)
    // The gateway notices a little later that its clients have left.
    await until(async () => (await server.graphql('{ __typename }')).status === 200)
  },
)
