import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Connections } from '../../../src/http/edge/connections.ts'
import { startEdge } from './start-edge.ts'

const megabyte = 2 ** 20
const post = (body: string) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const next = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n'

async function connectTo(handle: RequestListener, connections?: Connections) {
  const client = connect(await startEdge(handle, connections), '127.0.0.1')
  onTestFinished(() => void client.destroy())
  return client
}

test.each([
  ['nothing more', ''],
  ['a line end', '\r\n'],
  ['the beginning of a next request', 'GET /ne'],
  ['a next request', next],
  ['a next request and the beginning of a third', `${next}GET /th`],
])('a request ends when its client leaves, which had sent %s', async (_, more) => {
  const closed = Promise.withResolvers<boolean>()
  const begun = Promise.withResolvers<void>()
  const client = await connectTo((request, response) => {
    response.once('close', () => closed.resolve(response.writableEnded))
    request.resume().once('end', begun.resolve)
  })
  client.write(post('{}') + more)
  await begun.promise
  client.end()
  expect(await closed.promise).toBe(false)
})

test.each([
  ['the beginning of a next request', 'GET /ne'],
  ['a next request', next],
])(
  'an answer that is being sent is whole, though its client has ended what it sends with %s',
  async (_, more) => {
    const body = 'x'.repeat(5_000_000)
    const client = await connectTo((request, response) => {
      request.resume().once('end', () => response.end(body))
    })
    let bytes = 0
    client.on('data', ({ length }) => {
      bytes += length
    })
    client.write(post('{}') + more)
    await once(client, 'readable')
    client.end()
    await once(client, 'close')
    expect(bytes).toBeGreaterThan(body.length)
  },
)

test('a client that sends on and on during an answer is read no further than some kilobytes', async () => {
  const begun = Promise.withResolvers<IncomingMessage>()
  const client = await connectTo(request => begun.resolve(request))
  client.write(post('{}') + next)
  const { socket } = await begun.promise
  const wrote = client.write('x'.repeat(20 * megabyte))
  expect(wrote).toBe(false)
  const sentBytes = () => client.bytesWritten - client.writableLength
  let before = -1
  await expect
    .poll(
      () => {
        const isSettled = before === socket.bytesRead
        before = socket.bytesRead
        return isSettled && sentBytes() > 0
      },
      { interval: 200 },
    )
    .toBe(true)
  expect(socket.bytesRead).toBeLessThan(megabyte)
})

test('requests that come in pieces during an answer are answered in their order', async () => {
  const bodies: string[] = []
  const client = await connectTo(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    await sleep(20)
    response.end(`<${bodies.length}>`)
  })
  let text = ''
  client.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  const long = 'x'.repeat(40_000)
  for (const piece of [post('a'), post('b').slice(0, -1), 'b', post(long), post('c'), post('d')]) {
    client.write(piece)
    await sleep(5)
  }
  await expect.poll(() => text.match(/<\d>/g)).toEqual(['<1>', '<2>', '<3>', '<4>', '<5>'])
  expect(bodies).toEqual(['a', 'b', long, 'c', 'd'])
})

test('a request whose bytes find no room is closed, and does not wait for the time limit', async () => {
  const connections = new Connections({ arrivalTimeoutMs: 10_000 })
  expect(connections.reserveUnread(64 * megabyte)).toBe(true)
  const client = await connectTo((_, response) => response.end(), connections)
  let text = ''
  client.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  client.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n')
  await once(client, 'close')
  // After the time limit, it would be a 408.
  expect(text).toBe('')
})
