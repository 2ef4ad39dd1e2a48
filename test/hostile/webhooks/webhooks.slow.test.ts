import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendRaw } from '../../http/edge/send-raw.ts'
import { signStandard } from '../../server/clients/webhooks.ts'
import { startWebhookStage, type WebhookStage } from './webhook-stage.ts'

let stage: WebhookStage
beforeAll(async () => {
  stage = await startWebhookStage()
})
afterAll(() => stage.app.close())

describe('a flood of deliveries', () => {
  test('to one unknown name asks the store once a second', async () => {
    const flood = () =>
      Promise.all(Array.from({ length: 200 }, () => stage.send('/api/1/webhook/demo/nothing')))
    // Those that come before the first look-up has ended look up too.
    await stage.send('/api/1/webhook/demo/nothing')
    const asked = await stage.statementsOf(flood)
    expect(asked.length).toBeLessThan(20)
  })

  test.each(['a%20b', '%00', 'x'.repeat(65), '..%2f..', 'ü', "'%20or%201=1"])(
    'to the impossible name %s never asks the store',
    async name => {
      const asked = await stage.statementsOf(async () => {
        expect((await stage.send(`/api/1/webhook/demo/${name}`)).status).toBe(401)
        expect((await stage.send(`/api/1/webhook/${name}/real`)).status).toBe(401)
      })
      expect(asked).toEqual([])
    },
  )

  test('with bad signatures costs one statement in all, and writes nothing', async () => {
    const asked = await stage.statementsOf(async () => {
      for (let count = 0; count < 20; count++) {
        const { status } = await stage.send(stage.path, signStandard({ secret: 'whsec_AAAA', body: '{}' }))
        expect(status).toBe(401)
      }
    })
    expect(asked.length).toBeLessThanOrEqual(1)
    expect(asked.filter(text => !/^\s*select/i.test(text))).toEqual([])
  })

  test('ends its connection after 32 refusals', async () => {
    const request = `POST ${stage.path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`
    const { text, closedAfterMs } = await sendRaw({ url: stage.app.url, writes: [request.repeat(40)] })
    expect(closedAfterMs).not.toBeNull()
    expect(text.match(/HTTP\/1.1 401/g)).toHaveLength(32)
  })
})

describe('a body', () => {
  test('that is announced too large is 413 before any of it comes, signed or not', async () => {
    const head = `POST ${stage.path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${2 ** 18 + 1}\r\nConnection: close\r\n\r\n`
    const { text } = await sendRaw({ url: stage.app.url, writes: [head], timeoutMs: 3_000 })
    expect(text).toMatch(/^HTTP\/1.1 413 /)
  })

  test('that grows too large in chunks is 413', async () => {
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
    const head = `POST ${stage.path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
    const { text } = await sendRaw({
      url: stage.app.url,
      writes: [head, ...Array(10).fill(chunk)],
      timeoutMs: 3_000,
    })
    expect(text).toMatch(/^HTTP\/1.1 413 /)
  })

  test('that ends early, or has another length than it says, runs nothing', async () => {
    const body = '{"a":1}'
    const signed = Object.entries(signStandard({ secret: stage.secret, body })).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    const head = `POST ${stage.path} HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n${signed.join('')}\r\n`
    const asked = await stage.statementsOf(async () => {
      await sendRaw({ url: stage.app.url, writes: [head + body], timeoutMs: 300 })
    })
    expect(asked).toEqual([])
  })
})

test('300 senders that stall in their bodies do not keep a signed delivery waiting', async () => {
  const stalled = stage.stallSenders(300)
  for (let count = 0; count < 10; count++) expect((await stage.sendSigned()).status).toBe(200)
  expect(stalled.filter(({ destroyed }) => destroyed)).toEqual([])
  for (const socket of stalled) socket.destroy()
})

const kibibyte = 2 ** 10

describe('stalled bodies that fill the memory of unchecked ones', () => {
  const sentBytes = 250 * kibibyte

  /** Delivers bodies of 200 KiB, several at once, and returns the statuses. */
  async function deliverLong(): Promise<number[]> {
    const body = JSON.stringify('y'.repeat(200 * kibibyte))
    const statuses: number[] = []
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(Array.from({ length: 6 }, () => stage.sendSigned(body)))
      statuses.push(...answers.map(({ status }) => status))
    }
    return statuses
  }

  const allServed = Array(12).fill(200)
  /** The first answer to any of them: so the memory is full. */
  const firstAnswer = (sockets: readonly Socket[]) =>
    Promise.race(sockets.map(socket => once(socket, 'data').then(String)))

  test('give way to signed deliveries, short ones and those without a length too', async () => {
    const stalled = stage.stallSenders(840, { sentBytes: 60 * kibibyte, isChunked: true })
    await firstAnswer(stalled)
    expect(await deliverLong()).toEqual(allServed)
    for (const socket of stalled) socket.destroy()
  })

  test('give way if they go on by single bytes, and if others come for those that were ended', async () => {
    const open = new Set<Socket>()
    let isOver = false
    const attack = (count: number) => {
      const sockets = stage.stallSenders(count, { sentBytes })
      for (const socket of sockets) {
        open.add(socket)
        socket.on('close', () => open.delete(socket) && !isOver && attack(1)).resume()
      }
      return sockets
    }
    await firstAnswer(attack(300))
    const dripping = setInterval(() => {
      for (const socket of open) if (socket.writable) socket.write('x')
    }, 50)
    expect(await deliverLong()).toEqual(allServed)
    clearInterval(dripping)
    isOver = true
    for (const socket of open) socket.destroy()
  })

  test('are ended with 408, the longest stalled ones first, and their connections too', async () => {
    const [first] = stage.stallSenders(1, { sentBytes }) as [Socket]
    const answer = firstAnswer([first])
    const others = stage.stallSenders(300, { sentBytes })
    expect(await answer).toMatch(/^HTTP\/1.1 408 .*connection: close.*"code":"BAD_USER_INPUT"/is)
    await once(first, 'close')
    for (const socket of others) socket.destroy()
  })
})

describe('headers', () => {
  function raw(lines: readonly string[]): Promise<{ text: string }> {
    const head = ['Host: a', 'Content-Length: 0', 'Connection: close', ...lines].map(line => `${line}\r\n`)
    const request = `POST ${stage.path} HTTP/1.1\r\n${head.join('')}\r\n`
    return sendRaw({ url: stage.app.url, writes: [request], timeoutMs: 5_000 })
  }

  test('with an id or a time twice are refused, whichever of them is right', async () => {
    const own = signStandard({ secret: stage.secret, body: '' })
    const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}`)
    expect((await raw(lines)).text).toMatch(/^HTTP\/1.1 200 /)
    for (const name of ['webhook-id', 'webhook-timestamp']) {
      for (const twice of [
        [...lines, `${name}: 1`],
        [`${name}: 1`, ...lines],
      ]) {
        expect((await raw(twice)).text).toMatch(/^HTTP\/1.1 401 /)
      }
    }
  })

  test.each([['webhook-id: a\0b'], ['webhook-signature: v1,\0'], ['webhook-id: \x01']])(
    'with %j run nothing',
    async line => {
      expect((await raw([line])).text).toMatch(/^HTTP\/1.1 40[01] /)
    },
  )

  test('with hundreds of wrong signatures are refused', async () => {
    const signed = signStandard({ secret: 'whsec_AAAA', body: '{}' })
    const list = Array.from({ length: 300 }, () => signed['webhook-signature']).join(' ')
    expect((await stage.send(stage.path, { ...signed, 'webhook-signature': list })).status).toBe(401)
  })
})
