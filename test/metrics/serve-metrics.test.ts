import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { serveMetrics } from '../../src/http/metrics/serve-metrics.ts'

async function serve(print: () => Promise<string>) {
  const lines: string[] = []
  const log = pino({}, { write: line => lines.push(line) })
  const server = await serveMetrics(print, { host: '127.0.0.1', port: 0, log })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') expect.unreachable()
  return { port: address.port, lines }
}

test('metrics that cannot be printed are a 503 that blames no store, and a line in the log', async () => {
  const { port, lines } = await serve(() => Promise.reject(new Error('no such gauge')))
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect([answer.status, await answer.text()]).toEqual([503, 'The metrics could not be printed.\n'])
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { level: 50, err: { message: 'no such gauge' } },
  ])
})

test('requests that a connection sends ahead of its answer print no metrics', async () => {
  let prints = 0
  const { port } = await serve(async () => {
    prints += 1
    return 'up 1\n'
  })
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /metrics HTTP/1.1\r\nhost: rostrum\r\n\r\n'.repeat(500))
  const answers = await text(socket)
  expect(answers).toMatch(/^HTTP\/1\.1 200 /)
  expect(answers.match(/up 1\n/g)).toHaveLength(1)
  expect(prints).toBe(1)
})
