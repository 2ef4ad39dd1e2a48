import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandboxes } from '../http/save-hook.ts'
import { sendRaw } from '../http/send-raw.ts'
import { startApp, type TestApp } from '../http/start-app.ts'
import { signStandard } from '../server/webhooks.ts'

let app: TestApp
let secret = ''
const path = '/api/1/webhook/demo/real'
beforeAll(async () => {
  app = await startApp()
  await startSandboxes(app)
  const saved = await app.graphql(
    'mutation { saveFunction(input: {name: "f", sourceCode: "exit(payload)"}) { id } }',
  )
  const { body } = await app.graphql(`mutation { saveWebhook(input: {
    name: "real", verification: STANDARD, mode: SYNC, functionId: "${saved.body.data.saveFunction.id}"
  }) { secret } }`)
  secret = body.data.saveWebhook.secret
})
afterAll(() => app.close())

const send = (to: string, headers: Record<string, string> = {}, body = '{}') =>
  app.send(to, { method: 'POST', token: null, headers, body })

const sendSigned = (body = '{"a":1}') => send(path, signStandard({ secret, body }), body)

/** The statements that the store got meanwhile. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = app.statements.length
  await work()
  return app.statements.slice(before).filter(text => text.includes('webhook'))
}

describe('a flood of deliveries', () => {
  test('to one unknown name asks the store once a second', async () => {
    const flood = () => Promise.all(Array.from({ length: 200 }, () => send('/api/1/webhook/demo/nothing')))
    // Those that come before the first look-up has ended look up too.
    await send('/api/1/webhook/demo/nothing')
    const asked = await statementsOf(flood)
    expect(asked.length).toBeLessThan(20)
  })

  test.each([
    'a%20b',
    '%00',
    'x'.repeat(65),
    '..%2f..',
    'ü',
    "'%20or%201=1",
  ])('to the impossible name %s never asks the store', async name => {
    const asked = await statementsOf(async () => {
      expect((await send(`/api/1/webhook/demo/${name}`)).status).toBe(401)
      expect((await send(`/api/1/webhook/${name}/real`)).status).toBe(401)
    })
    expect(asked).toEqual([])
  })

  test('with bad signatures costs one statement each, and writes nothing', async () => {
    const asked = await statementsOf(async () => {
      for (let count = 0; count < 20; count++) {
        const { status } = await send(path, signStandard({ secret: 'whsec_AAAA', body: '{}' }))
        expect(status).toBe(401)
      }
    })
    expect(asked).toHaveLength(20)
    expect(asked.filter(text => !/^\s*select/i.test(text))).toEqual([])
  })

  test('ends its connection after 32 refusals', async () => {
    const request = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`
    const { text, closedAfterMs } = await sendRaw({ url: app.url, writes: [request.repeat(40)] })
    expect(closedAfterMs).not.toBeNull()
    expect(text.match(/HTTP\/1.1 401/g)).toHaveLength(32)
  })
})

describe('a body', () => {
  test('that is announced too large is 413 before any of it comes, signed or not', async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${2 ** 18 + 1}\r\nConnection: close\r\n\r\n`
    const { text } = await sendRaw({ url: app.url, writes: [head], timeoutMs: 3_000 })
    expect(text).toMatch(/^HTTP\/1.1 413 /)
  })

  test('that grows too large in chunks is 413', async () => {
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
    const { text } = await sendRaw({
      url: app.url,
      writes: [head, ...Array(10).fill(chunk)],
      timeoutMs: 3_000,
    })
    expect(text).toMatch(/^HTTP\/1.1 413 /)
  })

  test('that ends early, or has another length than it says, runs nothing', async () => {
    const body = '{"a":1}'
    const signed = Object.entries(signStandard({ secret, body })).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n${signed.join('')}\r\n`
    const asked = await statementsOf(async () => {
      await sendRaw({ url: app.url, writes: [head + body], timeoutMs: 300 })
    })
    expect(asked).toEqual([])
  })
})

test('300 senders that stall in their bodies do not keep a signed delivery waiting', async () => {
  const { hostname, port } = new URL(app.url)
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 262144\r\n\r\n`
  const stalled = Array.from({ length: 300 }, () => {
    const socket = connect(Number(port), hostname).on('error', () => {})
    socket.write(head + 'x'.repeat(1_000))
    return socket
  })
  for (let count = 0; count < 10; count++) expect((await sendSigned()).status).toBe(200)
  expect(stalled.filter(({ destroyed }) => destroyed)).toEqual([])
  for (const socket of stalled) socket.destroy()
})

describe('headers', () => {
  const signed = signStandard({ secret, body: '' })

  function raw(lines: readonly string[]): Promise<{ text: string }> {
    const head = ['Host: a', 'Content-Length: 0', 'Connection: close', ...lines].map(line => `${line}\r\n`)
    const request = `POST ${path} HTTP/1.1\r\n${head.join('')}\r\n`
    return sendRaw({ url: app.url, writes: [request], timeoutMs: 5_000 })
  }

  test('with an id or a time twice are refused, whichever of them is right', async () => {
    const own = signStandard({ secret, body: '' })
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

  test.each([
    ['webhook-id: a\0b'],
    ['webhook-signature: v1,\0'],
    ['webhook-id: \x01'],
  ])('with %j run nothing', async line => {
    expect((await raw([line])).text).toMatch(/^HTTP\/1.1 40[01] /)
  })

  test('with hundreds of wrong signatures are refused', async () => {
    const list = Array.from({ length: 300 }, () => signed['webhook-signature']).join(' ')
    expect((await send(path, { ...signed, 'webhook-signature': list })).status).toBe(401)
  })
})
