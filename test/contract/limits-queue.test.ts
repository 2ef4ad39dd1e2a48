import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server/start-server.ts'
import { sendJson, startUpstream, type Upstream } from '../server/start-upstream.ts'
import type { ProblemBody } from '../server/wire-shapes.ts'

// One sandbox; one waiting run for an account and two in all, which wait 2 s at most.
let upstream: Upstream
let server: TestServer
let other: string
let release: (() => void)[] = []
let closed = 0

beforeAll(async () => {
  upstream = await startUpstream((_, response) => {
    response.on('close', () => {
      closed += 1
    })
    release.push(() => sendJson(response, { data: 1 }))
  })
  server = await startServer({
    ROSTRUM_SANDBOXES: '1',
    ROSTRUM_QUEUE_RUNS: '2',
    ROSTRUM_QUEUE_ACCOUNT_RUNS: '1',
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
  })
  other = await server.token({ account: 'beta', user: 1 })
})
afterEach(() => {
  release = []
})
afterAll(async () => {
  await Promise.all([server.stop(), upstream.close()])
})

// A run that holds the only sandbox until the test lets it go.
async function hold(signal?: AbortSignal) {
  const sourceCode = `await graphql('{ x }', {}, '${upstream.url}/'); exit('held')`
  const before = release.length
  const answer = server.execute(sourceCode, signal === undefined ? {} : { signal })
  answer.catch(() => undefined)
  while (release.length === before) await sleep(10)
  return { answer, letGo: () => release[before]?.() }
}

test('a run waits for the sandbox that another holds', async () => {
  const { answer, letGo } = await hold()
  const waiting = server.execute('exit("waited")')
  await sleep(150)
  letGo()
  expect((await answer).body.task_execution.payload).toBe('held')
  expect((await waiting).body.task_execution.payload).toBe('waited')
})

test('past the waiting runs of its account it is a 429 with Retry-After, at once', async () => {
  const { letGo } = await hold()
  const waiting = server.execute('exit("waited")')
  await sleep(50)
  const started = performance.now()
  const refused = await server.rest<ProblemBody>('POST', '/api/1/endpoint/execute', {
    body: { name: 'a', sourceCode: 'exit(1)', inputDocument: '{}', options: '{}' },
  })
  expect(performance.now() - started).toBeLessThan(300)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(refused.headers.get('content-type')).toContain('application/problem+json')
  expect(refused.body).toMatchObject({ status: 429, code: 'OVERLOADED' })
  const neighbour = server.execute('exit("neighbour")', { token: other })
  await sleep(50)
  letGo()
  expect((await waiting).body.task_execution.payload).toBe('waited')
  expect((await neighbour).body.task_execution.payload).toBe('neighbour')
})

test('over GraphQL the refusal is OVERLOADED', async () => {
  const { letGo } = await hold()
  const waiting = server.execute('exit("waited")')
  await sleep(50)
  const refused = await server.graphql(
    'mutation { executeTask(input: {name: "a", sourceCode: "exit(1)", inputDocument: "{}", options: "{}"}) { id } }',
  )
  expect(refused.body.errors?.[0]?.extensions.code).toBe('OVERLOADED')
  letGo()
  await waiting
})

test('waiting longer than the limit is a 429', async () => {
  const { answer, letGo } = await hold()
  const started = performance.now()
  const refused = await server.execute('exit(1)')
  const ms = performance.now() - started
  expect(refused.status).toBe(429)
  expect(ms).toBeGreaterThan(1_900)
  expect(ms).toBeLessThan(3_500)
  letGo()
  await answer
})

test('a client that goes away ends its run and frees the sandbox', async () => {
  const controller = new AbortController()
  await hold(controller.signal)
  const before = closed
  controller.abort()
  // It would be a 429 if the sandbox were not free within 2 s.
  expect((await server.execute('exit("next")')).body.task_execution.payload).toBe('next')
  expect(closed).toBe(before + 1)
})

test('a client that goes away ends its run over GraphQL too', async () => {
  const controller = new AbortController()
  const before = release.length
  const inner = `await graphql('{ x }', {}, '${upstream.url}/')`
  const input = { name: 'a', sourceCode: inner, inputDocument: '{}', options: '{}' }
  const answer = server.rest('POST', '/graphql', {
    body: {
      query: 'mutation($input: ExecuteTaskInput!) { executeTask(input: $input) { id } }',
      variables: { input },
    },
    signal: controller.signal,
  })
  answer.catch(() => undefined)
  while (release.length === before) await sleep(10)
  const closedBefore = closed
  controller.abort()
  expect((await server.execute('exit("next")')).body.task_execution.payload).toBe('next')
  expect(closed).toBe(closedBefore + 1)
})

test('a client that goes away while it waits never runs', async () => {
  const { answer, letGo } = await hold()
  const controller = new AbortController()
  const mutation = 'mutation { saveTeam(input: {id: "424242", name: "ghost"}) { id } }'
  const ghost = server.execute(`await graphql('${mutation}'); exit(1)`, { signal: controller.signal })
  ghost.catch(() => undefined)
  await sleep(80)
  controller.abort()
  await sleep(50)
  letGo()
  await answer
  expect((await server.execute('exit(1)')).status).toBe(200)
  expect((await server.rest('GET', '/platform/teams/424242')).status).toBe(404)
})

test('reads and writes go on while all sandboxes are held', async () => {
  const { answer, letGo } = await hold()
  expect((await server.rest('GET', '/platform/team_memberships?ids[]=1')).status).toBe(200)
  expect((await server.graphql('{ viewer { accountCode } }')).status).toBe(200)
  letGo()
  await answer
})
