import { beforeAll, describe, expect, test } from 'vitest'
import type { ExecutionBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})

interface RunRow {
  readonly id: string
  readonly state: string
  readonly outcome: string | null
}

const fields = `id trigger event name function { name } functionVersion case { id } caseId caseVersion txnID txnSource
  parent { id } replayOf { id } attempt state outcome message error { code message line column stack }
  logs { at level data } input options payload byUserId scopes startedAt durationMs dryRun`

async function findRun(id: string, token?: string): Promise<RunRow | null> {
  const { body, text } = await server.graphql<{ run: RunRow | null }>(
    `query($id: ID!) { run(id: $id) { ${fields} } }`,
    { id },
    token,
  )
  expect(body.errors, text).toBeUndefined()
  return body.data?.run ?? null
}

async function listRuns(filter: Record<string, unknown>, token?: string): Promise<string[]> {
  const { body, text } = await server.graphql<{ runs: { edges: { node: RunRow }[] } }>(
    'query($filter: RunFilter) { runs(filter: $filter) { edges { node { id state outcome } } } }',
    { filter },
    token,
  )
  expect(body.errors, text).toBeUndefined()
  return (body.data?.runs.edges ?? []).map(({ node }) => node.id)
}

const written = (id: string, token?: string) =>
  expect.poll(async () => (await findRun(id, token))?.state).toBe('ENDED')

test('a run is read whole, however deep its input and its options are nested', async () => {
  const deep = `${'['.repeat(50_000)}{"0":1}${']'.repeat(50_000)}`
  const { body } = await server.execute({
    name: 'deep',
    sourceCode: 'exit(1)',
    inputDocument: deep,
    options: `{"params":${deep}}`,
  })
  const { id } = body.task_execution
  await expect
    .poll(
      async () => (await server.graphql('query($id: ID!) { run(id: $id) { id } }', { id })).body.data?.run,
    )
    .not.toBeNull()
  const { text } = await server.graphql('query($id: ID!) { run(id: $id) { input options } }', { id })
  expect(text).toContain(`{"run":{"input":${deep},"options":{"params":${deep},`)
})

test('a run of the execution endpoint is listed within a second, with everything about it', async () => {
  const { body } = await server.execute({
    name: 'recalculate \0 name',
    sourceCode: 'log("total", 6); exit({ a: "\\u0000\\ud800" })',
    inputDocument: '{"b": [1, "\\ud800"]}',
    options: '{"params": {"c": 1}, "authorization": "Bearer of-the-caller"}',
    metadata: { case_type_code: 'incident' },
  })
  const { id, request_context: context, logs, duration_ms } = body.task_execution
  await expect.poll(() => findRun(id), { timeout: 1_000 }).not.toBeNull()
  const run = await findRun(id)
  expect(run).toEqual({
    id,
    trigger: 'ENDPOINT',
    event: null,
    name: 'recalculate \0 name',
    function: null,
    functionVersion: null,
    case: null,
    caseId: null,
    caseVersion: null,
    txnID: context.txnID,
    txnSource: context.txnSource,
    parent: null,
    replayOf: null,
    attempt: 1,
    state: 'ENDED',
    outcome: 'EXIT',
    message: null,
    error: null,
    logs: logs.map(entry => ({ ...entry, level: entry.level.toUpperCase() })),
    input: { b: [1, '\ud800'] },
    options: {
      params: { c: 1 },
      current_user: expect.anything(),
      changed_fields: null,
      requestContext: context,
    },
    payload: { a: '\0\ud800' },
    byUserId: expect.any(String),
    scopes: ['admin'],
    startedAt: expect.stringMatching(/Z$/),
    durationMs: duration_ms,
    dryRun: false,
  })
  expect(JSON.stringify(run)).not.toContain('of-the-caller')
})

test('a failure keeps its message, and an error its place', async () => {
  const failed = await server.execute('fail("no \\0 owner")')
  const threw = await server.execute('\n throw new Error("oops")')
  const ids = [failed, threw].map(({ body }) => body.task_execution.id)
  for (const id of ids) await written(id)
  expect(await findRun(ids[0] ?? '')).toMatchObject({
    outcome: 'FAIL',
    message: 'no \0 owner',
    payload: null,
  })
  expect(await findRun(ids[1] ?? '')).toMatchObject({
    outcome: 'ERROR',
    error: { code: 'RUNTIME', message: 'Error: oops', line: 2 },
  })
})

test('a run inside a run names its parent, and both belong to one transaction', async () => {
  const { body } = await server.execute<{ id: string }>(
    `exit({ id: (await Platform.tasks.execute({ name: 'inner', sourceCode: 'exit(1)', inputDocument: 1 })).id })`,
  )
  const { id, payload, request_context } = body.task_execution
  await written(id)
  await written(payload.id)
  expect(await findRun(payload.id)).toMatchObject({ parent: { id }, txnID: request_context.txnID })
  expect(await listRuns({ txnID: request_context.txnID })).toHaveLength(2)
})

test('a run of a function names the function and its version', async () => {
  const saved = await server.graphql<{ saveFunction: { id: string; live: { hash: string } } }>(
    `mutation { saveFunction(input: {name: "kept", sourceCode: "throw 1"}) { id live { hash } } }`,
  )
  const { id: functionId, live } = saved.body.data?.saveFunction ?? { id: '', live: { hash: '' } }
  const { body } = await server.rest<ExecutionBody>('POST', '/api/1/function/kept/execute', {
    body: { inputDocument: {} },
  })
  const { id } = body.task_execution
  await written(id)
  expect(await findRun(id)).toMatchObject({
    trigger: 'FUNCTION',
    name: 'kept',
    function: { name: 'kept' },
    functionVersion: live.hash,
    outcome: 'ERROR',
  })
  const filters = [
    { functionId },
    { functionVersion: live.hash },
    { trigger: 'FUNCTION', outcome: 'ERROR', state: 'ENDED' },
    { functionId, startedAfter: '2020-01-01T00:00:00Z', startedBefore: '2999-01-01T00:00:00.000Z' },
  ]
  for (const filter of filters) expect(await listRuns(filter), JSON.stringify(filter)).toEqual([id])
  expect(await listRuns({ text: id })).toEqual([id])
  const { body: figures } = await server.graphql(
    `query ($filter: RunFilter) { runStats(filter: $filter) {
      minutes { at runs } outcomes { outcome runs } p50Ms p95Ms p99Ms counted isComplete } }`,
    { filter: { text: id } },
  )
  expect(figures.data?.runStats).toEqual({
    minutes: [{ at: expect.stringMatching(/:00\.000Z$/), runs: 1 }],
    outcomes: [
      { outcome: 'EXIT', runs: 0 },
      { outcome: 'FAIL', runs: 0 },
      { outcome: 'ERROR', runs: 1 },
    ],
    ...{ p50Ms: expect.any(Number), p95Ms: expect.any(Number), p99Ms: expect.any(Number) },
    ...{ counted: 1, isComplete: true },
  })
  expect(await listRuns({ text: 'kep', functionId })).toEqual([id])
  expect(await listRuns({ text: 'Kept', functionId })).toEqual([])
  expect(await listRuns({ functionId, startedBefore: '2020-01-01T00:00:00Z' })).toEqual([])
  expect(await listRuns({ functionVersion: 'nonsense \0' })).toEqual([])
  expect(await listRuns({ txnID: '\ud800' })).toEqual([])
  const ofFunction = await server.graphql<{ function: { runs: { edges: { node: RunRow }[] } } }>(
    'query($id: ID!) { function(id: $id) { runs { edges { node { id } } } } }',
    { id: functionId },
  )
  expect(ofFunction.body.data?.function.runs.edges).toEqual([{ node: { id } }])
})

test('a run that goes on for 250 ms is listed as running, then ends', async () => {
  const sourceCode = 'const end = Date.now() + 900; while (Date.now() < end); exit(1)'
  const running = server.execute({ name: 'slow', sourceCode })
  await expect.poll(() => listRuns({ state: 'RUNNING' })).toHaveLength(1)
  const [id = ''] = await listRuns({ state: 'RUNNING' })
  expect(await findRun(id)).toMatchObject({ name: 'slow', outcome: null, durationMs: null, input: {} })
  expect((await running).body.task_execution.id).toBe(id)
  await written(id)
  expect(await listRuns({ state: 'RUNNING' })).toEqual([])
})

test('an input past 256 KiB is not kept, and the run is', async () => {
  const { body } = await server.execute({
    sourceCode: 'exit(payload.length)',
    inputDocument: JSON.stringify('x'.repeat(256 * 2 ** 10)),
  })
  const { id } = body.task_execution
  await written(id)
  expect(await findRun(id)).toMatchObject({ input: null, payload: 256 * 2 ** 10 })
})

describe('rights', () => {
  test.each(['{ run(id: "x") { id } }', '{ runs { edges { cursor } } }'])(
    '%s needs `runs:read`',
    async document => {
      const scopes = ['memberships:read', 'functions:read', 'functions:write', 'tasks:execute'] as const
      const without = await server.token({ account: server.account, user: 5, scopes })
      const { body } = await server.graphql(document, {}, without)
      expect(body.errors?.map(error => error.extensions.code)).toEqual(['FORBIDDEN'])
      const reader = await server.token({ account: server.account, user: 5, scopes: ['runs:read'] })
      expect((await server.graphql(document, {}, reader)).body.errors).toBeUndefined()
    },
  )

  test('a run of another account is an unknown one, byte for byte', async () => {
    const { body } = await server.execute('exit("secret")')
    const { id, request_context } = body.task_execution
    await written(id)
    const other = await server.token({ account: `${server.account}-other` })
    const unknown = '00000000-0000-4000-8000-000000000000'
    const ask = async (runId: string) =>
      (await server.graphql('query($id: ID!) { run(id: $id) { id payload } }', { id: runId }, other)).text
    expect(await ask(id)).toBe(await ask(unknown))
    expect(await listRuns({ txnID: request_context.txnID }, other)).toEqual([])
    expect(await listRuns({}, other)).toEqual([])
  })
})

test('a result of more than 256 KiB is not kept', async () => {
  const token = await server.token({ account: `${server.account}-large` })
  await server.execute('exit("x".repeat(300_000))', { token })
  await expect.poll(() => listRuns({}, token)).toHaveLength(1)
  const { body } = await server.graphql(
    '{ runs(first: 1) { edges { node { outcome payload } } } }',
    {},
    token,
  )
  expect(body.data).toEqual({ runs: { edges: [{ node: { outcome: 'EXIT', payload: null } }] } })
})

test('a page of long results is refused before they are read', async () => {
  const token = await server.token({ account: `${server.account}-long` })
  for (let n = 0; n < 16; n += 1) await server.execute('exit("x".repeat(250_000))', { token })
  await expect.poll(() => listRuns({}, token)).toHaveLength(16)
  const document = 'query($first: Int) { runs(first: $first) { edges { node { payload } } } }'
  const { body } = await server.graphql(document, { first: 16 }, token)
  expect(body.errors?.[0]?.message).toMatch(/bytes/)
  expect((await server.graphql(document, { first: 8 }, token)).body.errors).toBeUndefined()
})

test('a page of 50 runs is answered with all that they have', async () => {
  const token = await server.token({ account: `${server.account}-whole` })
  for (let n = 0; n < 3; n += 1) await server.execute(`log('a', ${n}); exit(${n})`, { token })
  await expect.poll(() => listRuns({}, token)).toHaveLength(3)
  const { body, text } = await server.graphql<{ runs: { nodes: { payload: number }[] } }>(
    `{ runs(first: 50) { nodes { ${fields} } } }`,
    {},
    token,
  )
  expect(body.errors, text).toBeUndefined()
  expect(body.data?.runs.nodes.map(({ payload }) => payload)).toEqual([2, 1, 0])
})

test.each(['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-02-01T00:00:00', '2026-02-01'])(
  '%s is no time to list runs from',
  async startedAfter => {
    const document = 'query ($filter: RunFilter) { runs(filter: $filter) { nodes { id } } }'
    const { body } = await server.graphql(document, { filter: { startedAfter } })
    expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  },
)

test('a page of runs has at most 10,000 log entries', async () => {
  const token = await server.token({ account: `${server.account}-logs` })
  for (let n = 0; n < 11; n += 1) {
    await server.execute('for (let i = 0; i < 1000; i++) log(1); exit(1)', { token })
  }
  await expect.poll(() => listRuns({ state: 'ENDED' }, token)).toHaveLength(11)
  const document = 'query($first: Int) { runs(first: $first) { nodes { logs { at } } } }'
  const { body } = await server.graphql<{ runs: { nodes: { logs: unknown[] }[] } }>(
    document,
    { first: 10 },
    token,
  )
  expect(body.data?.runs.nodes.map(({ logs }) => logs.length)).toEqual(Array(10).fill(1_000))
  const past = (await server.graphql(document, { first: 11 }, token)).body
  expect(past.errors?.map(({ extensions }) => extensions.bound)).toEqual(['logEntries'])
  expect(past.errors?.[0]?.message).toMatch(/10000 entries/)
})
