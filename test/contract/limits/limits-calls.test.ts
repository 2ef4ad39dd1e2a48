import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'

let upstream: Upstream
let server: TestServer
let open = 0
let maxOpen = 0

beforeAll(async () => {
  upstream = await startUpstream(async (request, response) => {
    if (request.path === '/big') return sendJson(response, { data: 'x'.repeat(2 ** 21) })
    if (request.path === '/fits') return sendJson(response, { data: 'x'.repeat(2 ** 21 - 100) })
    open += 1
    maxOpen = Math.max(maxOpen, open)
    await sleep(30)
    open -= 1
    sendJson(response, { data: 1 })
  })
  server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: upstream.host, ROSTRUM_SANDBOXES: '6' })
})
afterAll(async () => {
  await Promise.all([server.stop(), upstream.close()])
})

async function run<P = unknown>(sourceCode: string, inputDocument: unknown = {}) {
  return (await server.execute<P>({ sourceCode, inputDocument })).body.task_execution
}

describe('calls of graphql() in a run', () => {
  test('number 100, and the next one rejects', async () => {
    const { payload } = await run<[number, string][]>(
      `const seen = []
       for (let i = 1; i <= 103; i++) await graphql('{ __typename }').catch(error => seen.push([i, error.message]))
       exit(seen)`,
    )
    expect(payload.map(([index]) => index)).toEqual([101, 102, 103])
    expect(payload[0]?.[1]).toMatch(/100/)
  })

  test('are counted separately for every run', async () => {
    const all = 'for (let i = 0; i < 100; i++) await graphql("{ __typename }"); exit(1)'
    expect([(await run(all)).payload, (await run(all)).payload]).toEqual([1, 1])
  })

  test('go out 10 at once; the others wait their turn and all are answered', async () => {
    maxOpen = 0
    const { payload } = await run(
      `const answers = await Promise.all(Array.from({ length: 40 }, () => graphql('{ x }', {}, payload)))
       exit(answers.filter(answer => answer.data === 1).length)`,
      JSON.stringify(`${upstream.url}/slow`),
    )
    expect(payload).toBe(40)
    expect(maxOpen).toBe(10)
  })

  test('take answers up to 2 MiB and reject past it', async () => {
    const ask = (path: string) =>
      run(
        'exit(await graphql("{ x }", {}, payload).then(answer => answer.data.length, error => error.message))',
        JSON.stringify(upstream.url + path),
      )
    expect((await ask('/fits')).payload).toBe(2 ** 21 - 100)
    expect((await ask('/big')).payload).toMatch(/2 MiB|2,?097,?152|large|big|limit/i)
  })
})

test('runs inside runs go 3 deep, and the fourth rejects', async () => {
  // Runs itself until it is refused, and exits with how deep it came.
  const recursive = `const inner = await Platform.tasks.execute({ name: 'inner', sourceCode: payload.source,
    inputDocument: payload, options: {} })
      .catch(error => ({ payload: { depth: 0, refused: \`\${error.code} \${error.message}\` } }))
    exit({ depth: inner.payload.depth + 1, refused: inner.payload.refused })`
  const { payload } = await run<{ depth: number; refused: string }>(recursive, { source: recursive })
  expect(payload.depth).toBe(3)
  expect(payload.refused).toMatch(/^TOO_DEEP .*3 deep/)
})
