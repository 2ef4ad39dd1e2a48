import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startApp, type TestApp } from '../../http/edge/start-app.ts'
import { type HookOrder, saveHook as saveHookOf, startSandboxes } from '../../http/rest/save-hook.ts'
import { sendJson, startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'
import { until } from '../../server/processes/until.ts'

const timeoutMs = 2_500
// Time for a loaded machine to answer.
const graceMs = 2_000

let app: TestApp
let upstream: Upstream
let types = 0
let during: () => unknown = () => undefined

beforeAll(async () => {
  upstream = await startUpstream(async (_request, response) => {
    await during()
    sendJson(response, { data: {} })
  })
  app = await startApp({
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    ROSTRUM_TASK_TIMEOUT_MS: String(timeoutMs),
    ROSTRUM_SANDBOXES: '4',
  })
  await startSandboxes(app)
})
beforeEach(() => {
  during = () => undefined
})
afterAll(async () => {
  await app.close()
  await upstream.close()
})

const newType = () => `type-${++types}`
const saveHook = (sourceCode: string, order: HookOrder = {}) => saveHookOf(app, sourceCode, order)
const waitMs = (ms: number) => {
  during = () => new Promise(resolve => setTimeout(resolve, ms))
}
const callUpstream = () => `await graphql('{ x }', {}, '${upstream.url}')`

const create = (caseTypeCode: string, data: object = {}) =>
  app.send('/platform/cases', { method: 'POST', body: { case: { case_type_code: caseTypeCode, data } } })

async function measure<T>(work: () => Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now()
  return [await work(), performance.now() - startedAt]
}

describe('a hook that does not end', () => {
  test.each([
    ['spins', () => 'for (;;);', 'TIMEOUT', timeoutMs + graceMs],
    ['waits for another host', () => `${callUpstream()}; exit(payload)`, 'TIMEOUT', timeoutMs + graceMs],
    ['crashes its sandbox', () => "'x'.repeat(2 ** 28).split('')", 'CRASHED', timeoutMs + graceMs],
  ])(
    'because it %s is a SCRIPT_ERROR in time, and the next save is as before',
    async (_, source, code, maxMs) => {
      const type = newType()
      waitMs(10 * timeoutMs)
      await saveHook(source(), { caseTypeCode: type })
      const [{ status, body }, ms] = await measure(() => create(type))
      expect([status, body.code]).toEqual([422, 'SCRIPT_ERROR'])
      expect(['TIMEOUT', 'CRASHED', 'MEMORY']).toContain(body.error.code)
      if (code === 'TIMEOUT') expect(body.error.code).toBe(code)
      expect(ms).toBeLessThan(maxMs)
      const plain = newType()
      await saveHook('exit({ a: 1 })', { caseTypeCode: plain })
      expect((await create(plain)).body.case.data).toEqual({ a: 1 })
    },
  )

  test('because it floods its log ends with the log cut', async () => {
    const type = newType()
    await saveHook("for (let i = 0; i < 5000; i++) log('x'.repeat(200)); exit({ a: 1 })", {
      caseTypeCode: type,
    })
    expect((await create(type)).body.case.data).toEqual({ a: 1 })
  })
})

test('a save that has waited for its turn for half of its time is refused, and no hook is blamed', async () => {
  const type = newType()
  await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: type })
  const { id } = (await create(type)).body.case
  waitMs(0.7 * timeoutMs)
  const save = (a: number) =>
    app.send(`/platform/cases/${id}`, { method: 'PUT', body: { case: { data: { a } } } })
  const [first, second] = await Promise.all([save(1), save(2)])
  expect(first).toMatchObject({ status: 200, body: { case: { data: { a: 1 }, version: 2 } } })
  const detail = 'Other saves of this case took too long. Nothing was changed. Try again in 1 s.'
  expect(second).toMatchObject({ status: 429, body: { code: 'OVERLOADED', detail } })
})

test('all hooks of a save share its deadline', async () => {
  const type = newType()
  waitMs(0.6 * timeoutMs)
  await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: type })
  const late = await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: type, position: 1 })
  const [{ body }, ms] = await measure(() => create(type))
  expect(body).toMatchObject({ code: 'SCRIPT_ERROR', error: { code: 'TIMEOUT' }, hook: { id: late } })
  expect(ms).toBeLessThan(timeoutMs + graceMs)
})

test('the hooks of a nested save share the deadline of the first', async () => {
  const [outer, inner] = [newType(), newType()]
  waitMs(0.6 * timeoutMs)
  await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: inner })
  const nested = `await Platform.cases.save({ case_type_code: '${inner}', data: {} })`
  await saveHook(`${callUpstream()}; ${nested}; exit(payload)`, {
    caseTypeCode: outer,
    scopes: ['cases:write'],
  })
  const [{ body }, ms] = await measure(() => create(outer))
  expect(body).toMatchObject({ code: 'SCRIPT_ERROR', error: { code: 'TIMEOUT' } })
  expect(ms).toBeLessThan(timeoutMs + graceMs)
  const found = await app.graphql(
    'query($code: String!) { cases(filter: { caseTypeCode: $code }) { nodes { id } } }',
    {
      code: inner,
    },
  )
  expect(found.body.data.cases.nodes).toEqual([])
})

test('a save that waits for its turn has only the rest of its time for its hooks', async () => {
  const type = newType()
  const { body } = await create(type)
  waitMs(0.6 * timeoutMs)
  await saveHook(`${callUpstream()}; exit(payload)`, { caseTypeCode: type })
  const put = (a: number) =>
    app.send(`/platform/cases/${body.case.id}`, { method: 'PUT', body: { case: { data: { a } } } })
  const [answers, ms] = await measure(() => Promise.all([put(1), put(2), put(3)]))
  const codes = answers.map(answer => answer.body.code ?? 'OK')
  expect(codes.filter(code => code === 'OK')).toHaveLength(1)
  expect(codes.every(code => ['OK', 'SCRIPT_ERROR', 'OVERLOADED'].includes(code))).toBe(true)
  expect(ms).toBeLessThan(timeoutMs + graceMs)
  expect((await app.send(`/platform/cases/${body.case.id}`)).body.case.version).toBe(2)
})

test('while a hook takes seconds, 200 other saves and reads go on at their speed', async () => {
  const patient = await startApp({ ROSTRUM_GRAPHQL_HOSTS: upstream.host, ROSTRUM_TASK_TIMEOUT_MS: '60000' })
  onTestFinished(() => patient.close())
  await startSandboxes(patient)
  const createIn = (caseTypeCode: string) =>
    patient.send('/platform/cases', {
      method: 'POST',
      body: { case: { case_type_code: caseTypeCode, data: {} } },
    })
  const created = await Promise.all(Array.from({ length: 10 }, () => createIn('plain')))
  const paths = created.map(({ body }) => `/platform/cases/${body.case.id}`)
  // 100 saves and 100 reads.
  const others = async () => {
    for (let count = 0; count < 10; count++) {
      const put = { method: 'PUT', body: { case: { data: { at: Math.random() } } } }
      const answers = await Promise.all(paths.flatMap(path => [patient.send(path, put), patient.send(path)]))
      expect(answers.every(({ status }) => status === 200)).toBe(true)
    }
  }
  await saveHookOf(patient, `${callUpstream()}; exit(payload)`, { caseTypeCode: 'slow' })
  await others()
  const [, before] = await measure(others)
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  during = () => {
    begun.resolve()
    return gate.promise
  }
  const slow = createIn('slow')
  await begun.promise
  const [, meanwhile] = await measure(others)
  gate.resolve()
  expect((await slow).status).toBe(201)
  expect(meanwhile).toBeLessThan(2 * before + 500)
})

test('a hook that gets no sandbox is 429, and nothing is stored', async () => {
  const small = await startApp({
    ROSTRUM_TASK_TIMEOUT_MS: '60000',
    ROSTRUM_TASK_CPU_MS: '60000',
    ROSTRUM_QUEUE_WAIT_MS: '2000',
    ROSTRUM_SANDBOXES: '1',
  })
  onTestFinished(() => small.close())
  await startSandboxes(small)
  await saveHookOf(small, 'for (;;);', { caseTypeCode: 'endless' })
  await saveHookOf(small, 'exit(payload)', { caseTypeCode: 'quick' })
  const createIn = (caseTypeCode: string, signal?: AbortSignal) =>
    fetch(`${small.url}/platform/cases`, {
      method: 'POST',
      headers: { authorization: `Bearer ${small.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ case: { case_type_code: caseTypeCode, data: {} } }),
      ...(signal && { signal }),
    })
  const gone = new AbortController()
  const endless = createIn('endless', gone.signal).catch(() => null)
  const running = '{ runs(filter: { state: RUNNING }) { edges { node { id } } } }'
  await until(async () => (await small.graphql(running)).body.data.runs.edges.length === 1)
  const refused = await createIn('quick')
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ code: 'OVERLOADED' })
  gone.abort()
  expect(await endless).toBeNull()
  const { body } = await small.graphql('{ cases { nodes { caseTypeCode } } }')
  expect(body.data.cases.nodes).toEqual([])
})
