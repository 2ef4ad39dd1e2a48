import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { serveMetrics } from '../../src/http/metrics/serve-metrics.ts'

const maxConnections = 64

const request = 'GET /metrics HTTP/1.1\r\nhost: rostrum\r\n'

const ask = (socket: Socket) => void socket.write(`${request}\r\n`)
const drip = (socket: Socket) => {
  socket.write(`${request}slow: `)
  const timer = setInterval(() => socket.write('a'), 500)
  socket.on('close', () => clearInterval(timer))
}

test.each([
  ['do not read their metrics', ask],
  ['ask for none', () => undefined],
  ['never end their request', drip],
])('clients that %s leave the port to others', async (_, speak) => {
  // More than the buffers of the system take.
  const long = 'x'.repeat(2 ** 24)
  const log = pino({ level: 'silent' })
  const server = await serveMetrics(async () => long, { host: '127.0.0.1', port: 0, log })
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') expect.unreachable()
  for (let n = 0; n < maxConnections; n++) {
    const socket = connect(address.port, '127.0.0.1').on('error', () => {})
    sockets.push(socket.pause())
    await once(socket, 'connect')
    speak(socket)
  }
  const scrape = () =>
    fetch(`http://127.0.0.1:${address.port}/metrics`).then(
      async answer => (await answer.text()).length,
      () => 'refused',
    )
  expect(await scrape()).toBe('refused')
  await expect.poll(scrape, { interval: 500 }).toBe(long.length)
})
