import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import {
  type Responder,
  sendJson,
  startUpstream,
  type Upstream,
} from '../../server/gateways/start-upstream.ts'

let listed: Upstream
let byName: Upstream
let closed: Upstream
let canary: Upstream
let server: TestServer

// One path, one way for another server to answer.
const responders: Record<string, Responder> = {
  '/json': (request, response) => sendJson(response, { data: { echo: JSON.parse(request.body) } }),
  '/errors': (_, response) => sendJson(response, { errors: [{ message: 'of theirs' }] }),
  '/html': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>'),
  '/broken': (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":'),
  '/500': (_, response) => sendJson(response, { data: 'no' }, 500),
  '/404': (_, response) => sendJson(response, { data: 'no' }, 404),
  '/301': (_, response) => response.writeHead(301, { location: `${canary.url}/` }).end(),
  '/307': (_, response) => response.writeHead(307, { location: '/json' }).end(),
  '/cut': (_, response) => response.destroy(),
  '/204': (_, response) => response.writeHead(204).end(),
  '/bomb': (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(gzipSync(`"${'x'.repeat(2 ** 25)}"`)),
  '/response-json': (_, response) =>
    response.writeHead(200, { 'content-type': 'application/graphql-response+json' }).end('{"data":1}'),
  '/endless': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write('"'.padEnd(2 ** 16, 'x')), 1)
    response.on('close', () => clearInterval(timer))
  },
}

beforeAll(async () => {
  canary = await startUpstream((_, response) => sendJson(response, { data: 'reached' }))
  listed = await startUpstream((request, response) => responders[request.path]?.(request, response))
  byName = await startUpstream((_, response) => sendJson(response, { data: 1 }))
  closed = await startUpstream(() => undefined)
  await closed.close()
  const hosts = ['other.example', listed.host, byName.host.replace('127.0.0.1', 'localhost'), closed.host]
  server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: hosts.join(', ') })
})
afterAll(async () => {
  await Promise.all([server.stop(), listed.close(), byName.close(), canary.close()])
})

async function ask(url: string) {
  const answer = await server.execute<unknown[]>({
    sourceCode: `exit(await graphql('query Q($a: Int) { x }', { a: 1 }, payload).then(
      value => ['resolved', value], error => ['rejected', error.message]))`,
    inputDocument: JSON.stringify(url),
  })
  return answer.body.task_execution.payload
}

describe('a listed host', () => {
  test('gets query and variables as JSON, and its answer resolves', async () => {
    expect(await ask(`${listed.url}/json`)).toEqual([
      'resolved',
      { data: { echo: { query: 'query Q($a: Int) { x }', variables: { a: 1 } } } },
    ])
    const request = listed.requests.find(each => each.path === '/json')
    expect(request?.headers['content-type']).toContain('application/json')
  })

  test('whose 200 has GraphQL errors resolves, as JSON', async () => {
    expect(await ask(`${listed.url}/errors`)).toEqual(['resolved', { errors: [{ message: 'of theirs' }] }])
  })

  test('may answer with the media type of GraphQL', async () => {
    expect(await ask(`${listed.url}/response-json`)).toEqual(['resolved', { data: 1 }])
  })

  test('may be localhost, listed as such', async () => {
    expect(await ask(byName.url.replace('127.0.0.1', 'localhost'))).toEqual(['resolved', { data: 1 }])
    expect(await ask(byName.url)).toEqual(['rejected', expect.stringMatching(/\S/)])
  })

  test.each(['/html', '/broken', '/500', '/404', '/cut', '/204', '/bomb', '/endless'])(
    'that answers %s rejects',
    async path => {
      expect(await ask(listed.url + path)).toEqual(['rejected', expect.stringMatching(/\S/)])
    },
  )

  test.each(['/301', '/307'])('that redirects (%s) rejects, and nothing is followed', async path => {
    const before = listed.requests.length
    expect(await ask(listed.url + path)).toEqual(['rejected', expect.stringMatching(/redirect/i)])
    expect(listed.requests.length).toBe(before + 1)
    expect(canary.requests).toEqual([])
  })

  test('that is not there rejects', async () => {
    expect(await ask(`${closed.url}/`)).toEqual(['rejected', expect.stringMatching(/\S/)])
  })
})

describe('an unlisted host', () => {
  test.each([
    ['another port of a listed host', () => `${canary.url}/`],
    ['a listed host as user name', () => `http://${listed.host}@${canary.host}/`],
    ['the same address in another spelling', () => `http://2130706433:${new URL(canary.url).port}/`],
    ['a name of loopback', () => `http://localhost:${new URL(canary.url).port}/`],
    ['a mapped address', () => `http://[::ffff:7f00:1]:${new URL(canary.url).port}/`],
  ])('is not reached through %s', async (_, url) => {
    expect(await ask(url())).toEqual(['rejected', expect.stringMatching(/\S/)])
    expect(canary.requests).toEqual([])
  })
})
