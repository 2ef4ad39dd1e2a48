import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { makeWorkplace } from '../spawn-rostrum.ts'

let server: SharedServer
beforeEach(async () => {
  server = await shareServer()
})

let close: () => void
afterEach(() => close())

/** Refuses the first requests to each path. */
async function startLimit(retryAfter: string, times: number) {
  const refused = new Map<string, number>()
  const limit = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    const body = await text(request)
    const key = `${method} ${url} ${body.slice(0, 30)}`
    const count = refused.get(key) ?? 0
    if (count < times) {
      refused.set(key, count + 1)
      const headers = { 'retry-after': retryAfter, ratelimit: '"token";r=0;t=1' }
      return void response.writeHead(429, headers).end('{"code":"OVERLOADED","detail":"Too many."}')
    }
    const { authorization = '', accept = '' } = request.headers
    const headers = { authorization, accept, 'content-type': 'application/json' }
    const answer = await fetch(`${server.baseUrl}${url}`, {
      method,
      headers,
      ...(method === 'POST' && { body }),
    })
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text())
  })
  await once(limit.listen(0, '127.0.0.1'), 'listening')
  const { port } = limit.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const place = await makeWorkplace({ ROSTRUM_URL: url, ROSTRUM_TOKEN: server.adminToken })
  close = () => {
    limit.close()
    place.remove()
  }
  return { place, url }
}

test('push and pull go on after a rate limit, and say so once', async () => {
  const { place, url } = await startLimit('0', 2)
  const said = `The rate limit of ${url} is reached. Waiting until it takes requests again.\n`
  for (const name of ['a', 'b']) await place.write(`functions/_/${name}.js`, 'exit(1)')
  const pushed = await place.runHere(['push', '--yes'])
  expect(pushed.code).toBe(0)
  expect(pushed.stderr.split(said)).toHaveLength(2)
  const pulled = await place.runHere(['pull', '--dir', 'other'])
  expect(pulled).toEqual({ code: 0, stdout: 'functions/_/a.js\nfunctions/_/b.js\n', stderr: said })
})

test('pull does not wait for a rate limit of an hour', async () => {
  const { place } = await startLimit('3600', 1)
  expect(await place.runHere(['pull'])).toEqual({ code: 69, stdout: '', stderr: 'Too many.\n' })
})
