import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'
import { until } from '../../server/processes/until.ts'

// One sandbox; one waiting run for an account and two in all.
let settings: Record<string, string>
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
  settings = {
    ROSTRUM_SANDBOXES: '1',
    ROSTRUM_QUEUE_RUNS: '2',
    ROSTRUM_QUEUE_ACCOUNT_RUNS: '1',
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    // A run holds its sandbox until the test lets it go, however long that takes.
    ROSTRUM_TASK_TIMEOUT_MS: '300000',
  }
  server = await startServer(settings)
  other = await server.token({ account: 'beta', user: 1 })
})
afterEach(() => {
  release = []
})
afterAll(async () => {
  await Promise.all([server.stop(), upstream.close()])
})

// A run that holds the only sandbox until the test lets it go.
async function hold(gateway = server, signal?: AbortSignal) {
  const sourceCode = `await graphql('{ x }', {}, '${upstream.url}/'); exit('held')`
  const before = release.length
  const answer = gateway.execute(sourceCode, signal === undefined ? {} : { signal })
  answer.catch(() => undefined)
  await until(() => release.length > before)
  return { answer, letGo: () => release[before]?.() }
}

// One run of an account may wait. Of two that are sent at once, the refused one shows that the other one waits.
async function waitBehindHolder() {
  const input = { sourceCode: 'exit("waited")' }
  const both = [server.execute(input), server.execute(input)]
  const refused = await Promise.race(both)
  expect(refused.text).toContain('1 runs of this account are waiting already')
  return { refused, waiting: Promise.any(both.map(isAnswered)) }
}

async function isAnswered(asked: ReturnType<TestServer['execute']>) {
  const answer = await asked
  if (answer.status !== 200) throw new Error(answer.text)
  return answer
}

test('a run waits for the sandbox that another holds', async () => {
  const { answer, letGo } = await hold()
  const ended: unknown[] = []
  const { waiting } = await waitBehindHolder()
  const all = [answer, waiting].map(async asked => ended.push((await asked).body.task_execution.payload))
  expect(ended).toEqual([])
  letGo()
  await Promise.all(all)
  expect(ended).toEqual(['held', 'waited'])
})

test('past the waiting runs of its account it is a 429 with Retry-After, before the holder lets go', async () => {
  const { letGo } = await hold()
  const { refused, waiting } = await waitBehindHolder()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(refused.headers.get('content-type')).toContain('application/problem+json')
  expect(refused.body).toMatchObject({ status: 429, code: 'OVERLOADED' })
  const neighbour = server.execute('exit("neighbour")', { token: other })
  letGo()
  expect((await waiting).body.task_execution.payload).toBe('waited')
  expect((await neighbour).body.task_execution.payload).toBe('neighbour')
})

test('over GraphQL the refusal is OVERLOADED', async () => {
  const { letGo } = await hold()
  const { waiting } = await waitBehindHolder()
  const refused = await server.graphql(
    'mutation { executeTask(input: {name: "a", sourceCode: "exit(1)", inputDocument: "{}", options: "{}"}) { id } }',
  )
  expect(refused.body.errors?.[0]?.extensions.code).toBe('OVERLOADED')
  letGo()
  await waiting
})

test('waiting longer than the limit is a 429, before the holder lets go', async () => {
  const impatient = await startServer({ ...settings, ROSTRUM_QUEUE_WAIT_MS: '100' })
  onTestFinished(async () => void (await impatient.stop()))
  const { answer, letGo } = await hold(impatient)
  const refused = await impatient.execute('exit(1)')
  expect([refused.status, refused.text]).toEqual([
    429,
    expect.stringContaining('No sandbox became free within 100 ms'),
  ])
  letGo()
  expect((await answer).body.task_execution.payload).toBe('held')
})

test('a client that disconnects ends its run and frees the sandbox', async () => {
  const controller = new AbortController()
  await hold(server, controller.signal)
  const before = closed
  controller.abort()
  // Nobody lets the first one go, so that the sandbox is free only if the run has ended.
  expect((await server.execute('exit("next")')).body.task_execution.payload).toBe('next')
  await until(() => closed === before + 1)
})

test('a client that disconnects ends its run over GraphQL as well', async () => {
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
  await until(() => release.length > before)
  const closedBefore = closed
  controller.abort()
  expect((await server.execute('exit("next")')).body.task_execution.payload).toBe('next')
  await until(() => closed === closedBefore + 1)
})

test('a client that disconnects while it waits never runs', async () => {
  const { answer, letGo } = await hold()
  const mutation = 'mutation { saveTeam(input: {id: "424242", name: "ghost"}) { id } }'
  const leave = Array.from({ length: 2 }, () => {
    const controller = new AbortController()
    const ghost = server.execute(`await graphql('${mutation}'); exit(1)`, { signal: controller.signal })
    return { controller, ghost }
  })
  const refused = await Promise.race(leave.map(({ ghost }) => ghost))
  expect(refused.status).toBe(429)
  for (const { controller } of leave) controller.abort()
  await Promise.allSettled(leave.map(({ ghost }) => ghost))
  // Its place in the queue is free once the gateway has heard of it.
  const next = until(async () => (await server.execute('exit(1)')).status === 200)
  await until(() => server.stdout().includes('"aborted":true'))
  letGo()
  await answer
  await next
  expect((await server.rest('GET', '/platform/teams/424242')).status).toBe(404)
})

test('reads and writes go on while all sandboxes are held', async () => {
  const { answer, letGo } = await hold()
  expect((await server.rest('GET', '/platform/team_memberships?ids[]=1')).status).toBe(200)
  expect((await server.graphql('{ viewer { accountCode } }')).status).toBe(200)
  letGo()
  await answer
})
