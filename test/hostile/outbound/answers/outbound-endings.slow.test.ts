import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../server/gateways/start-server.ts'
import { findDescendants, signalAll } from '../../../server/processes/child-processes.ts'
import { until } from '../../../server/processes/until.ts'
import { untilReady } from '../../running-scripts/held-runs.ts'
import { type RawHost, startRawHost } from '../hosts/raw-host.ts'
import { type StoppedHost, startStoppedHost } from '../hosts/stopped-host.ts'

let host: RawHost
let stopped: StoppedHost
let server: TestServer

// `/silent` is never answered, everything else at once.
beforeAll(async () => {
  host = await startRawHost(({ path }, socket) => {
    if (path === '/silent') return
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{"data":1}')
  })
  stopped = await startStoppedHost()
  server = await startServer({
    ROSTRUM_GRAPHQL_HOSTS: `${host.host},${stopped.host}`,
    ROSTRUM_TASK_CPU_MS: '200',
    ROSTRUM_SANDBOXES: '4',
  })
})
afterAll(async () => {
  await server.stop()
  host.close()
  stopped.close()
})

const silent = () => `graphql('{ x }', {}, 'http://${host.host}/silent').catch(() => null)`
const answered = () => `await graphql('{ x }', {}, 'http://${host.host}/')`

describe('the connection of a call is closed at the end of its run, by', () => {
  test.each([
    ['exit', 'exit()', 'exit'],
    ['fail', 'fail("x")', 'fail'],
    ['a throw', 'throw new Error("x")', 'RUNTIME'],
    ['its budget of processor time', 'for (;;);', 'TIMEOUT'],
  ])('%s', async (_, last, ending) => {
    const { body } = await server.execute(`void ${silent()}; ${answered()}; ${answered()}; ${last}`)
    expect(body.task_execution.error?.code ?? body.task_execution.outcome).toBe(ending)
    expect(host.requests.at(-3)?.path).toBe('/silent')
    await until(() => host.open() === 0)
  })

  test('SIGKILL of its process', async () => {
    const answer = server.execute(`await ${silent()}`)
    await until(() => host.open() === 1)
    signalAll(findDescendants(server.pid), 'SIGKILL')
    await until(() => host.open() === 0)
    expect((await answer).body.task_execution.error?.code).toBe('CRASHED')
    await untilReady(server)
  })

  test('a client that disconnects during ten calls', async () => {
    const gone = new AbortController()
    const asked = server.execute(`await Promise.all(Array.from({ length: 50 }, () => ${silent()}))`, {
      signal: gone.signal,
    })
    await until(() => host.open() === 10)
    await sleep(200)
    expect(host.open()).toBe(10)
    const before = host.requests.length
    gone.abort()
    await asked.catch(() => null)
    await until(() => host.open() === 0)
    expect(host.requests.length).toBe(before)
  })

  test('a client that disconnects during the TLS handshake', async () => {
    const gone = new AbortController()
    const url = `https://${host.host}/`
    const asked = server.execute(`await graphql('{ x }', {}, '${url}')`, { signal: gone.signal })
    await until(() => host.open() === 1)
    gone.abort()
    await asked.catch(() => null)
    await until(() => host.open() === 0)
  })

  test('a client that disconnects before the host accepts the connection', async () => {
    const gone = new AbortController()
    const asked = server.execute(`await graphql('{ x }', {}, 'http://${stopped.host}/')`, {
      signal: gone.signal,
    })
    await until(() => stopped.attempts() === 1)
    gone.abort()
    await asked.catch(() => null)
    await until(() => stopped.attempts() === 0)
  })

  test('the end of the run around it', async () => {
    const inner = JSON.stringify(`await ${silent()}`)
    const { body } = await server.execute(
      `void Platform.tasks.execute({ name: 'inner', sourceCode: ${inner}, inputDocument: {},
        options: {} }).catch(() => null)
       for (let n = 0; n < 40; n++) { ${answered()} }
       exit()`,
    )
    expect(body.task_execution.outcome).toBe('exit')
    expect(host.requests.map(({ path }) => path).slice(-41)).toContain('/silent')
    await until(() => host.open() === 0)
  })
})

describe('an outbound request is well-formed, whatever a script puts into it', () => {
  const lines = [
    /^POST \/[!-~]* HTTP\/1\.1$/,
    /^host: 127\.0\.0\.1:\d+$/,
    /^connection: close$/,
    /^content-type: application\/json$/,
    /^accept: application\/graphql-response\+json, application\/json$/,
    /^accept-encoding: identity$/,
    /^user-agent: rostrum$/,
    /^content-length: \d+$/,
  ]

  test.each([
    ['newlines', '/a\r\nx-injected: 1\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n'],
    ['encoded newlines', '/a%0d%0ax-injected:%201%0d%0a%0d%0aGET%20/smuggled'],
    ['newlines of other alphabets', '/a\u2028x-injected: 1\u560d\u560ax: 1'],
    ['a space and a version', '/ HTTP/1.1\nx-injected: 1'],
    ['NUL and controls', '/a\u0000b\u0001c\u007f'],
    ['letters of other alphabets', '/ü/€?ü=€#ü'],
    ['a query of newlines', '/?a=\r\nb&c=%0a'],
    ['half of a surrogate pair', '/\ud800'],
    ['eight thousand characters', `/${'x'.repeat(8_000)}`],
    ['dots and slashes', '/../..//%2e%2e/./a'],
    ['a fragment', '/#\r\nx-injected: 1'],
  ])('a path with %s', async (_, path) => {
    const before = [host.requests.length, host.connections()]
    await server.execute({
      sourceCode: `exit(await graphql('{ x }\\r\\nx-injected: 1',
        { a: '\\r\\n\\r\\n', ['b\\n']: options.params }, payload).catch(() => null))`,
      inputDocument: JSON.stringify(`http://${host.host}${path}`),
      options: { params: { text: '\u2028\u0000' } },
    })
    expect([host.requests.length, host.connections()]).toEqual(before.map(count => (count ?? 0) + 1))
    const { head, body } = host.requests.at(-1) ?? { head: [], body: '' }
    expect(head).toHaveLength(lines.length)
    lines.forEach((line, index) => void expect(head[index]).toMatch(line))
    expect(JSON.parse(body)).toEqual({
      query: '{ x }\r\nx-injected: 1',
      variables: { a: '\r\n\r\n', 'b\n': { text: '\u2028\u0000' } },
    })
  })

  test('over a connection of its own for each call, of whichever account', async () => {
    const other = await server.token({ account: 'beta' })
    const before = host.connections()
    for (const token of [server.adminToken, other, server.adminToken]) {
      await server.execute(`${answered()}; ${answered()}; exit()`, { token })
    }
    expect(host.connections() - before).toBe(6)
  })
})
