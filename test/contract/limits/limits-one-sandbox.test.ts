import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMembership } from '../../server/clients/memberships.ts'
import { saveWebhook, signStandard } from '../../server/clients/webhooks.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'
import { until } from '../../server/processes/until.ts'

const bodyBytes = 2 ** 18

// One sandbox, and small limits.
let upstream: Upstream
let server: TestServer
beforeAll(async () => {
  // Never answers, so that a run that calls it holds the sandbox.
  upstream = await startUpstream(() => undefined)
  server = await startServer({
    ROSTRUM_SANDBOXES: '1',
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    ROSTRUM_TASK_GRAPHQL_BYTES: '2000',
    ROSTRUM_BODY_BYTES: String(bodyBytes),
  })
})
afterAll(async () => {
  await Promise.all([server.stop(), upstream.close()])
})

test('an answer of the gateway itself past the limit of graphql() rejects', async () => {
  const rows = await Promise.all(Array.from({ length: 60 }, () => addMembership(server)))
  const answer = await server.execute({
    sourceCode: `const ask = ids => Platform.teamMemberships.list(ids).then(list => list.length, error => error.message)
      exit([await ask(payload.slice(0, 5)), await ask(payload)])`,
    inputDocument: rows.map(row => row.id),
  })
  expect(answer.body.task_execution.payload).toEqual([5, expect.stringMatching(/2,?000|large|big|limit/i)])
})

test('a run inside a run that finds no sandbox free is refused and never waits for its parent', async () => {
  const inner = "{ name: 'inner', sourceCode: 'exit(1)', inputDocument: {}, options: {} }"
  const answer = await server.execute(
    `exit(await Platform.tasks.execute(${inner}).catch(error => error.message))`,
  )
  expect(answer.body.task_execution.payload).toContain('No sandbox is free for a run inside a run')
})

test.each(['with a length', 'in chunks'])(
  'an account holds 32 of the largest signed bodies that come %s',
  async framing => {
    // The first run holds the sandbox, and the others wait.
    const sourceCode = `await graphql('{ x }', {}, '${upstream.url}/'); exit(1)`
    const name = framing.replaceAll(' ', '-')
    const { path, secret } = await saveWebhook(server, { name, sourceCode })
    const text = JSON.stringify('x'.repeat(bodyBytes - 2))
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
