import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendRaw } from './send-raw.ts'
import { startEdge } from './start-edge.ts'

test('a body that breaks before its reader comes does no harm if the reader gives up at once', async () => {
  const port = await startEdge(async (request, response) => {
    await sleep(50)
    const ignore = () => undefined
    request.on('error', ignore).off('error', ignore)
    response.writeHead(429).end('full')
  })
  const uncaught: unknown[] = []
  const note = (error: unknown) => void uncaught.push(error)
  process.on('uncaughtException', note)
  const bytes = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
  const { text } = await sendRaw({ url: `http://127.0.0.1:${port}`, writes: [bytes] })
  process.off('uncaughtException', note)
  expect(text).toMatch(/^HTTP\/1.1 429 .*full/s)
  expect(uncaught).toEqual([])
})
