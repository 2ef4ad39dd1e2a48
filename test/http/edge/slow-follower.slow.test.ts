import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

test('a client that follows 40 MB of events and reads none loses its connection, and the gateway reads no further', {
  timeout: 90_000,
}, async () => {
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
