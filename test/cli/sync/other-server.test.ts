import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findViewer } from '../../../src/cli/account/login-command.ts'
import type { Terminal } from '../../../src/cli/frame/terminal.ts'
import { createGatewayClient, unreachable } from '../../../src/cli/gateway/gateway-client.ts'
import { findRun, findRuns, listEnded } from '../../../src/cli/runs/find-runs.ts'
import { hashSource } from '../../../src/cli/sync/function-files.ts'
import { findLiveFunctions, readLiveSources } from '../../../src/cli/sync/live-functions.ts'
import { tryCase } from '../../../src/cli/sync/try-case.ts'

const pageInfo = { hasNextPage: false, endCursor: null }
const run = { id: 'a', name: 'a', trigger: 'HOOK', state: 'ENDED', startedAt: '', logs: [] }

test.each([
  { viewer: null, runs: null, functions: null },
  { viewer: {}, runs: 'x', functions: [] },
  { viewer: { accountCode: 'x' }, runs: { nodes: null, pageInfo }, functions: { nodes: null, pageInfo } },
  { viewer: { accountCode: 'x' }, runs: { nodes: [run] }, functions: { nodes: [] } },
  {
    viewer: { accountCode: 'x', scopes: [null] },
    runs: { nodes: [null], pageInfo },
    functions: { nodes: [null], pageInfo },
    run: {},
  },
  {
    viewer: { accountCode: 'x', scopes: 'all' },
    runs: { nodes: [{ ...run, state: null }], pageInfo },
    functions: { nodes: [{ name: 'a', caseTypeCode: null, live: null }], pageInfo },
    run: { ...run, logs: [null] },
  },
])('a GraphQL server that answers with %j is 69, with the line that says so', async data => {
  const server = createServer((_request, response) => response.end(JSON.stringify({ data })))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createGatewayClient({ url, token: 'rst_other' }, new AbortController().signal)
  const said = { exitCode: 69, message: `What answers at ${url} is no Rostrum gateway. Check \`--url\`.` }
  await expect(findViewer(client)).rejects.toMatchObject(said)
  await expect(findRuns(client, {}, 1)).rejects.toMatchObject(said)
  await expect(listEnded(client, {}, null)).rejects.toMatchObject(said)
  await expect(findRun(client, 'a')).rejects.toMatchObject(said)
  await expect(findLiveFunctions(client)).rejects.toMatchObject(said)
  await expect(tryCase(client, '1', {} as Terminal)).rejects.toMatchObject(said)
})

test.each([200, 400])('a gateway of another version is said to be one, with status %i', async status => {
  const message = 'Cannot query field "functions" on type "Query".'
  const server = createServer((_request, response) =>
    response
      .writeHead(status)
      .end(JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] })),
  )
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createGatewayClient({ url, token: 'rst_other' }, new AbortController().signal)
  await expect(findLiveFunctions(client)).rejects.toMatchObject({
    exitCode: 64,
    message: `The gateway at ${url} has another version than this command line: ${message} Use the one of its version.`,
  })
})

test('an unknown certificate is said with the setting that makes it known', () => {
  for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE']) {
    const error = Object.assign(new TypeError('fetch failed'), { cause: { code, message: 'not trusted' } })
    expect(unreachable('https://gateway.test', error).message).toContain('NODE_EXTRA_CA_CERTS')
  }
})

test('after a source that cannot be read, no further source is asked for', async () => {
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    const type = requests === 1 ? 'text/html' : 'text/javascript'
    response.setHeader('content-type', type).end('exit(1)')
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createGatewayClient({ url, token: 'rst_other' }, new AbortController().signal)
  const keys = Array.from({ length: 200 }, (_, n) => `_/f${n}`)
  const hashes = new Map(keys.map(key => [key, hashSource('exit(1)')]))
  await expect(readLiveSources(client, hashes, keys)).rejects.toMatchObject({ exitCode: 69 })
  const before = requests
  const own = 10
  for (let n = 0; n < own; n++) await client.get('/health', 'text/javascript')
  // Up to eight requests are sent at once.
  expect(requests - before - own).toBeLessThanOrEqual(8)
})

test('a server that takes a request and never answers is 69 after 90 s, but a script may take longer', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const sockets = new Set<Socket>()
  const silent = createTcpServer(socket => void sockets.add(socket.on('error', () => {}).resume()))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const client = createGatewayClient({ url, token: null }, new AbortController().signal)
  const listing = client.ask('{ viewer { email } }').catch((error: unknown) => error)
  const running = client.ask('{ viewer { email } }', {}, 'script').catch(() => 'ended')
  await expect.poll(() => sockets.size).toBe(2)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(await listing).toMatchObject({
    exitCode: 69,
    message: expect.stringContaining(`Cannot reach the gateway at ${url}: it sent no answer for 90 s.`),
  })
  expect(await Promise.race([running, 'goes on'])).toBe('goes on')
})
