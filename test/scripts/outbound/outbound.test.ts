import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ScriptLogShare } from '../../../src/fairness/script-log-share.ts'
import { createOutbound, type Outbound } from '../../../src/scripts/outbound/outbound.ts'
import {
  headersOfCalls,
  type Responder,
  sendJson,
  startUpstream,
  type Upstream,
} from '../../server/gateways/start-upstream.ts'
import { until } from '../../server/processes/until.ts'
import { type Canary, startCanary } from '../pool/start-canary.ts'
import { silentBoundLog } from '../run/start-tasks.ts'

const scriptLogShare = new ScriptLogShare({ log: silentBoundLog, maxBytes: 0 })

const maxBytes = 1_000
const json = { 'content-type': 'application/json' }
const filler = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2))

// One path for each kind of answer.
const responders: Record<string, Responder> = {
  '/echo': (request, response) => sendJson(response, { data: JSON.parse(request.body) }),
  '/null': (_, response) => response.writeHead(200, json).end('null'),
  '/limit': (_, response) => response.writeHead(200, json).end(filler(maxBytes)),
  '/more': (_, response) => response.writeHead(200, json).end(filler(maxBytes + 1)),
  '/endless': (_, response) => {
    response.writeHead(200, json)
    const timer = setInterval(() => response.write(' '.repeat(100)), 1)
    response.on('close', () => clearInterval(timer))
  },
  '/html': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>'),
  '/half': (_, response) => response.writeHead(200, json).end('{"data":'),
  '/empty': (_, response) => response.writeHead(200, json).end(),
  '/204': (_, response) => response.writeHead(204).end(),
  '/shorter': (_, response) => {
    response.writeHead(200, { ...json, 'content-length': '100' }).write('{"data":1}')
    setTimeout(() => response.destroy(), 20)
  },
  '/304': (_, response) => response.writeHead(304).end(),
  '/401': (_, response) => sendJson(response, { data: 'no' }, 401),
  '/404': (_, response) => sendJson(response, { data: 'no' }, 404),
  '/503': (_, response) => sendJson(response, { data: 'no' }, 503),
  '/cut': (_, response) => response.destroy(),
  '/headers': (_, response) => response.writeHead(200, { ...json, 'x-long': 'x'.repeat(100_000) }).end('{}'),
  '/silent': () => undefined,
  '/slow': (_, response) => {
    response.writeHead(200, json).write('{"data":')
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => {
      closedSlowly++
      clearInterval(timer)
    })
  },
  '/gzip': (_, response) =>
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync('{"data":1}')),
  '/br': (_, response) =>
    response.writeHead(200, { ...json, 'content-encoding': 'br' }).end(brotliCompressSync('{"data":1}')),
  '/deflate': (_, response) =>
    response.writeHead(200, { ...json, 'content-encoding': 'deflate' }).end(deflateSync('{"data":1}')),
  '/twice': (_, response) =>
    response
      .writeHead(200, { ...json, 'content-encoding': 'identity, gzip' })
      .end(gzipSync(Buffer.alloc(10_000_000))),
}
for (const status of [301, 302, 303, 307, 308]) {
  responders[`/${status}`] = (_, response) =>
    response.writeHead(status, { location: `http://127.0.0.1:${canary.port}/` }).end()
}

let closedSlowly = 0
let listed: Upstream
let canary: Canary
let outbound: Outbound

beforeAll(async () => {
  canary = await startCanary()
  listed = await startUpstream((request, response) => responders[request.path]?.(request, response))
  const { port } = new URL(listed.url)
  outbound = createOutbound({ scriptLogShare, hosts: [listed.host, `localhost:${port}`], maxBytes })
})
afterAll(async () => {
  outbound.close()
  await listed.close()
  canary.close()
})

interface Post {
  readonly variables?: Record<string, unknown>
  readonly signal?: AbortSignal
  readonly by?: Outbound
}

function post(url: string, { variables = {}, signal, by = outbound }: Post = {}): Promise<string> {
  const text = JSON.stringify(variables)
  return by.post({
    accountCode: 'a',
    query: '{ x }',
    variables: text,
    url,
    signal: signal ?? new AbortController().signal,
  })
}

const refusal = (url: string, options?: Post): Promise<string> =>
  post(url, options).then(
    text => `resolved: ${text}`,
    (error: Error) => error.message,
  )

describe('a listed host', () => {
  test('receives query and variables, and its JSON text is returned', async () => {
    const text = await post(`${listed.url}/echo`, { variables: { a: [1, null, '€'] } })
    expect(JSON.parse(text)).toEqual({ data: { query: '{ x }', variables: { a: [1, null, '€'] } } })
  })

  test('sees no credential, no cookie and nothing of this machine', async () => {
    await post(`${listed.url}/echo`)
    const { headers } = listed.requests.at(-1) ?? {}
    expect(Object.keys(headers ?? {}).toSorted()).toEqual(headersOfCalls)
    expect(headers?.['accept-encoding']).toBe('identity')
  })

  test('is reached as localhost if that name is listed', async () => {
    const { port } = new URL(listed.url)
    expect(await post(`http://localhost:${port}/null`)).toBe('null')
  })

  test('may answer with exactly as many bytes as are allowed', async () => {
    expect(await post(`${listed.url}/limit`)).toBe(filler(maxBytes))
  })

  test('serves many calls at once', async () => {
    const calls = Array.from({ length: 30 }, (_, n) => post(`${listed.url}/echo`, { variables: { n } }))
    const answers = (await Promise.all(calls)).map(text => JSON.parse(text).data.variables.n)
    expect(answers).toEqual(Array.from({ length: 30 }, (_, n) => n))
  })
})

describe('the error for a refused answer names the rule', () => {
  const compressed = 'graphql: the answer is compressed, which was not asked for'
  const tooMany = `graphql: the answer has more than ${maxBytes} bytes`
  const noJson = 'graphql: the answer is not JSON'
  test.each([
    ['/more', tooMany],
    ['/endless', tooMany],
    ['/html', noJson],
    ['/half', noJson],
    ['/empty', noJson],
    ['/204', noJson],
    ['/304', 'graphql: redirects are not followed'],
    ['/401', 'graphql: the host answered 401'],
    ['/404', 'graphql: the host answered 404'],
    ['/503', 'graphql: the host answered 503'],
    ['/gzip', compressed],
    ['/br', compressed],
    ['/deflate', compressed],
    ['/twice', compressed],
    ['/cut', 'graphql: the host could not be reached'],
    ['/shorter', 'graphql: the host could not be reached'],
    ['/headers', 'graphql: the host could not be reached'],
  ])('%s', async (path, reason) => {
    expect(await refusal(listed.url + path)).toContain(reason)
  })

  test.each(['/301', '/302', '/303', '/307', '/308'])('%s, and nothing is followed', async path => {
    const before = listed.requests.length
    expect(await refusal(listed.url + path)).toBe('graphql: redirects are not followed')
    expect([listed.requests.length - before, canary.connections()]).toEqual([1, 0])
  })

  test('an unreachable host', async () => {
    const gone = await startUpstream(() => undefined)
    await gone.close()
    const own = createOutbound({ scriptLogShare, hosts: [gone.host], maxBytes })
    expect(await refusal(gone.url, { by: own })).toBe('graphql: the host could not be reached (ECONNREFUSED)')
    own.close()
  })

  test('a host without TLS', async () => {
    expect(await refusal(listed.url.replace('http:', 'https:'))).toContain('could not be reached')
  })
})

describe('a call whose run has ended is aborted', () => {
  test.each(['/silent', '/slow', '/endless'])('waiting for %s', async path => {
    const own = createOutbound({ scriptLogShare, hosts: [listed.host], maxBytes: 10_000_000 })
    const before = listed.requests.length
    const controller = new AbortController()
    const answer = refusal(listed.url + path, { signal: controller.signal, by: own })
    await until(() => listed.requests.length > before)
    controller.abort(new Error('the run has ended'))
    expect(await answer).toContain('could not be reached')
    own.close()
  })

  test('and its connection is closed', async () => {
    const [before, asked] = [closedSlowly, listed.requests.length]
    const controller = new AbortController()
    const answer = refusal(`${listed.url}/slow`, { signal: controller.signal })
    await until(() => listed.requests.length > asked)
    controller.abort()
    await answer
    await until(() => closedSlowly === before + 1)
  })

  test('in the middle of a TLS handshake', async () => {
    const mute = await startCanary()
    const own = createOutbound({ scriptLogShare, hosts: [`127.0.0.1:${mute.port}`], maxBytes })
    const controller = new AbortController()
    const answer = refusal(`https://127.0.0.1:${mute.port}/`, { signal: controller.signal, by: own })
    await until(() => mute.connections() > 0)
    controller.abort()
    expect(await answer).toContain('could not be reached')
    own.close()
    mute.close()
  })

  test('before it began', async () => {
    const before = listed.requests.length
    expect(await refusal(`${listed.url}/echo`, { signal: AbortSignal.abort() })).toContain(
      'could not be reached',
    )
    expect(listed.requests.length).toBe(before)
  })
})

test('closing aborts the waiting calls', async () => {
  const own = createOutbound({ scriptLogShare, hosts: [listed.host], maxBytes })
  const before = listed.requests.length
  const answer = refusal(`${listed.url}/silent`, { by: own })
  await until(() => listed.requests.length > before)
  own.close()
  expect(await answer).toBe('graphql: the gateway is stopping')
})
