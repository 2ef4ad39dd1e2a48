// What a timeout of the gateway's own ends or keeps alive. The tests wait for it, so they wait at the same time.

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, test } from 'vitest'
import { exchangeBytes } from '../../hostile/wire/wire-exchange.ts'
import { startWireStage } from '../../hostile/wire/wire-stage.ts'
import { startServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../../server/gateways/start-upstream.ts'
import { by } from '../../store/databases/origin.ts'
import { startApp, type TestApp } from './start-app.ts'

let server: TestApp

beforeAll(async () => {
  server = await startApp()
})
afterAll(() => server.close())

// Some 2 KB an event, about the most there may be.
const fields = Array.from({ length: 14 }, (_, index) => `${'x'.repeat(90)}${index}: txnID`)
const query = `subscription { teamMembershipChanged(after: $after) { ${fields.join(' ')} } }`

test.concurrent('a client that reads none of 40 MB of events loses its connection, and the gateway reads no further', {
  timeout: 90_000,
}, async ({ expect }) => {
  for (let thousand = 0; thousand <= 20; thousand += 1) {
    const items = Array.from({ length: 1_000 }, (_, index) => ({ userId: index + 1, teamId: thousand + 1 }))
    await server.app.store.memberships.changeMany(by('demo'), { kind: 'add', items }, 'atomic')
  }
  const [first] = await server.app.store.events.listAfter('demo', 0, 1)
  const after = Buffer.from(`event:${first?.sequence}`).toString('base64url')
  const body = JSON.stringify({ query: query.replace('$after', `"${after}"`) })
  server.statements.length = 0

  const { hostname, port } = new URL(server.url)
  const startedAt = performance.now()
  const socket = connect(Number(port), hostname)
  socket.write(
    [
      'POST /graphql HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${server.adminToken}`,
      'Accept: text/event-stream',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )
  await sleep(8_000)
  // A hundred events each; what is not in the gateway is in the buffers of the system.
  const reads = server.statements.filter(text => /^select .* from "membership_events" .*limit/is.test(text))
  expect(reads.length).toBeGreaterThan(1)
  expect(reads.length).toBeLessThan(100)

  const lineOf = () => server.logLines.find(line => line.includes('"operation":"subscription"'))
  await expect.poll(lineOf, { timeout: 60_000, interval: 200 }).toContain('"aborted":true')
  expect(performance.now() - startedAt).toBeLessThan(50_000)
  socket.destroy()
})

test.concurrent('a run that sends nothing for 15 s sends a comment, and goes on', {
  timeout: 60_000,
}, async ({ expect, onTestFinished }) => {
  const upstream = await startUpstream((_, response) =>
    setTimeout(() => sendJson(response, { data: 1 }), 16_000),
  )
  const gateway = await startServer({
    ROSTRUM_TASK_TIMEOUT_MS: '30000',
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
  })
  onTestFinished(async () => {
    await Promise.all([gateway.stop(), upstream.close()])
  })
  const sourceCode = `exit(await graphql('{ a }', {}, '${upstream.url}/'))`
  const response = await fetch(`${gateway.baseUrl}/api/1/endpoint/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.adminToken}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ name: 'slow', sourceCode, inputDocument: '{}', options: '{}' }),
  })
  const blocks = (await response.text()).split('\n\n').filter(block => block !== '')
  expect(blocks.map(block => block.split('\n')[0])).toEqual([
    ':',
    'event: call',
    ':',
    'event: call',
    'event: end',
  ])
})

test.concurrent('a request is answered even if it waits for the one before it longer than the arrival timeout', {
  timeout: 120_000,
}, async ({ expect }) => {
  const silent = await startUpstream(() => undefined)
  const stage = await startWireStage({
    ROSTRUM_TASK_TIMEOUT_MS: '13000',
    ROSTRUM_GRAPHQL_HOSTS: silent.host,
  })
  try {
    const head =
      `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.tokens.A}\r\n` +
      'Content-Type: application/json\r\n'
    const sourceCode = `await graphql('{ x }', {}, '${silent.url}')`
    const body = JSON.stringify({ name: 'a', sourceCode, inputDocument: '{}', options: '{}' })
    const hung = `${head.replace('/graphql', '/api/1/endpoint/execute')}Content-Length: ${body.length}\r\n\r\n${body}`
    const query = '{"query":"{viewer{accountCode}}"}'
    const asks = `${head}Content-Length: ${query.length}\r\n\r\n${query}`
    const { answers } = await exchangeBytes({
      url: stage.server.baseUrl,
      // The last one's body never comes: its own time begins when it is its turn.
      writes: [Buffer.from(hung + asks + asks.slice(0, -3))],
      maxMs: 60_000,
    })
    expect(answers.map(answer => answer.status)).toEqual([422, 200, 408])
  } finally {
    await stage.stop()
    await silent.close()
  }
})
