import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../server/gateways/share-server.ts'
import { makeWorkplace, type Workplace } from './spawn-rostrum.ts'

let server: SharedServer
let proxy: Server
let place: Workplace
let isAway: boolean
/** Maximum number of runs in a page of the list. */
let pageSize: number
beforeEach(async () => {
  server = await shareServer()
  isAway = false
  pageSize = 1_000
  proxy = createServer(async (request, response) => {
    if (isAway) return void request.destroy()
    const sent = (await text(request)).replace('"first":1000', `"first":${pageSize}`)
    const { authorization = '', accept = '' } = request.headers
    const headers = { authorization, accept, 'content-type': 'application/json' }
    const answer = await fetch(`${server.baseUrl}${request.url}`, { method: 'POST', headers, body: sent })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    await pipeline(Readable.from(answer.body ?? []), response).catch(() => {})
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo
  place = await makeWorkplace({
    ROSTRUM_URL: `http://127.0.0.1:${port}`,
    ROSTRUM_TOKEN: server.adminToken,
  })
})
afterEach(() => {
  proxy.closeAllConnections()
  proxy.close()
  place.remove()
})

const run = (name: string, sourceCode = 'exit(1)') => server.execute({ name, sourceCode })
const listNames = async () =>
  (await server.graphql<{ runs: { nodes: { name: string }[] } }>('{ runs { nodes { name } } }')).body.data
    ?.runs.nodes

test('logs lists runs whose logs are more than one answer can have', async () => {
  for (let n = 0; n < 11; n++)
    await run(`run${n}`, "for (let i = 0; i < 60; i++) log('x'.repeat(4000)); exit(1)")
  await expect.poll(listNames).toHaveLength(11)
  const { code, stdout, stderr } = await place.run(['logs'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.match(/run\d+/g)).toEqual(Array.from({ length: 11 }, (_, n) => `run${n}`))
})

test.each([
  { size: 2, shown: 5, said: 0 },
  { size: 1, shown: 12, said: 1 },
])('logs --follow reads pages of $size until it knows a run, or says what it leaves out', async parts => {
  pageSize = parts.size
  const going = place.start(['logs', '--follow', '--limit', '0'])
  await expect
    .poll(async () => {
      await run('before')
      return going.stdout()
    })
    .toContain('before')
  isAway = true
  proxy.closeAllConnections()
  await expect.poll(going.stderr).toContain('trying again')
  for (let n = 0; n < parts.shown; n++) await run(`away${n}`)
  await expect.poll(listNames).toContainEqual({ name: `away${parts.shown - 1}` })
  isAway = false
  await expect.poll(going.stdout, { timeout: 5_000 }).toContain(`away${parts.shown - 1} `)
  going.interrupt()
  const { stdout, stderr } = await going.ended
  expect(stdout.match(/away\d+/g)).toHaveLength(parts.shown - 2 * parts.said)
  expect(stderr.match(/older runs are left out/g) ?? []).toHaveLength(parts.said)
})
