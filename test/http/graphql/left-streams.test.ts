import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../edge/start-app.ts'

// An account's streams can hold 16 MiB: eight of these documents, at two bytes a character, but not nine.
const held = 8
const query = `subscription { teamMembershipChanged { cursor } } #${'a'.repeat(1_000_000)}`

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const headers = () => ({
  authorization: `Bearer ${app.adminToken}`,
  'content-type': 'application/json',
  accept: 'text/event-stream',
})

/** Asks for a stream, and disconnects while the gateway reads the request. */
async function leave(afterMs: number): Promise<void> {
  const { hostname, port } = new URL(app.url)
  const body = JSON.stringify({ query })
  const sent = { host: hostname, ...headers(), 'content-length': String(body.length) }
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await new Promise(resolve => socket.write(`POST /graphql HTTP/1.1\r\n${head.join('')}\r\n${body}`, resolve))
  await sleep(afterMs)
  socket.resetAndDestroy()
}

/** Opens as many streams as given. Returns how many the gateway accepted. */
async function countAccepted(streams: number): Promise<number> {
  const abort = new AbortController()
  const answers = Array.from({ length: streams }, async () => {
    const { body } = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: headers(),
      body: JSON.stringify({ query }),
      signal: abort.signal,
    })
    const { value } = (await body?.getReader().read()) ?? {}
    return Buffer.from(value ?? '').toString()
  })
  const texts = await Promise.all(answers)
  abort.abort()
  return texts.filter(text => !text.includes('OVERLOADED')).length
}

test('a client that leaves before its stream begins leaves no memory counted to its account', async () => {
  for (let round = 0; round < 6; round++) {
    await Promise.all(Array.from({ length: 12 }, (_, at) => leave(10 + 5 * round + at)))
  }
  await expect.poll(() => countAccepted(held + 1), { interval: 500 }).toBe(held)
})
