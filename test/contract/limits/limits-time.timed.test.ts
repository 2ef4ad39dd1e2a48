import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { untilReady } from '../../faults/replicas/until-ready.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'

const timeoutMs = 1_500
const cpuMs = 250

let silent: Upstream
let server: TestServer

beforeAll(async () => {
  silent = await startUpstream(() => undefined)
  server = await startServer({
    ROSTRUM_TASK_TIMEOUT_MS: String(timeoutMs),
    ROSTRUM_TASK_CPU_MS: String(cpuMs),
    ROSTRUM_GRAPHQL_HOSTS: silent.host,
  })
})
afterAll(async () => {
  await Promise.all([server.stop(), silent.close()])
})

async function timed(sourceCode: string) {
  // Each run here costs a sandbox, and none is to wait for another's boot.
  await untilReady(server.baseUrl)
  const started = performance.now()
  const answer = await server.execute({ sourceCode, inputDocument: { hung: `${silent.url}/` } })
  return { answer, run: answer.body.task_execution, ms: performance.now() - started }
}

// The time a fresh process may take on a busy machine on top of the limit.
const slackMs = 2_000

describe('processor time', () => {
  const loops: [string, string][] = [
    ['a busy loop', 'for (;;);'],
    ['a busy loop after await', 'await null; for (;;);'],
    ['a busy loop after graphql()', 'await graphql("{ viewer { accountCode } }"); for (;;);'],
    [
      'a busy loop in a detached promise',
      '(async () => { await null; for (;;); })(); await new Promise(() => {})',
    ],
    ['a microtask flood', 'const turn = () => Promise.resolve().then(turn); await turn()'],
    ['an endless async loop', 'for (;;) await null'],
    ['a busy toJSON', 'exit({ toJSON() { for (;;); } })'],
    ['a busy getter of a thrown value', 'throw { get message() { for (;;); } }'],
    ['a hopeless regular expression', '/^(a+)+$/.test("a".repeat(40) + "b"); exit(1)'],
    ['a native that does not yield', 'let x = 3n; for (;;) x = x ** 3n'],
    ['a busy sort', 'Array.from({ length: 1e5 }, (_, i) => i).sort(() => { for (;;); })'],
  ]

  test.each(loops)('%s ends in TIMEOUT, logs kept', async (_, loop) => {
    const { answer, run, ms } = await timed(`log('before'); ${loop}`)
    expect(answer.status).toBe(422)
    expect(run).toMatchObject({ outcome: 'error', payload: null, message: null })
    expect(run.error?.code).toMatch(/^(TIMEOUT|MEMORY)$/)
    if (!loop.includes('3n')) expect(run.error?.code).toBe('TIMEOUT')
    expect(run.logs.map(entry => entry.data)).toEqual([['before']])
    expect(ms).toBeLessThan(timeoutMs + slackMs)
  })

  test('ends long before the time of the whole run, and is reported as such', async () => {
    // Beside others a sandbox may come to little processor time.
    const patient = await startServer({
      ROSTRUM_TASK_TIMEOUT_MS: '20000',
      ROSTRUM_TASK_CPU_MS: String(cpuMs),
    })
    onTestFinished(async () => void (await patient.stop()))
    const { body } = await patient.execute('for (;;);')
    expect(body.task_execution.error?.message).toMatch(`more than its ${cpuMs} ms of processor time`)
    expect(body.task_execution.duration_ms).toBeGreaterThanOrEqual(cpuMs * 0.8)
  })

  test('is not spent by waiting', async () => {
    const { run } = await timed(`await graphql('{ x }', {}, payload.hung).catch(() => {}); exit(1)`)
    expect(run.duration_ms).toBeGreaterThan(cpuMs * 2)
  })
})

describe('the time of the whole run', () => {
  // They only wait.
  test.concurrent.each([
    ['a hung call', "log('before'); await graphql('{ x }', {}, payload.hung); exit(1)"],
    ['a hung call that nobody awaits', "log('before'); graphql('{ x }', {}, payload.hung)"],
    [
      'calls that never stop',
      "log('before'); for (;;) await Promise.race([graphql('{ x }', {}, payload.hung), new Promise(() => {})])",
    ],
  ])('covers %s', async (_, sourceCode) => {
    const { answer, run, ms } = await timed(sourceCode)
    expect(answer.status).toBe(422)
    expect(run.error?.code).toBe('TIMEOUT')
    expect(run.logs.map(entry => entry.data)).toEqual([['before']])
    expect(run.duration_ms).toBeGreaterThanOrEqual(timeoutMs * 0.9)
    expect(ms).toBeLessThan(timeoutMs + slackMs)
  })

  test.concurrent('is shared by the runs inside it', async () => {
    const inner = "await graphql('{ x }', {}, payload.hung); exit(1)"
    const { run, ms } = await timed(
      `await Platform.tasks.execute({ name: 'inner', sourceCode: ${JSON.stringify(inner)},
         inputDocument: payload, options: {} }).catch(() => {})
       await graphql('{ x }', {}, payload.hung); exit(1)`,
    )
    expect(run.error?.code).toBe('TIMEOUT')
    expect(ms).toBeLessThan(timeoutMs + slackMs)
  })
})

test('after all that, ordinary runs of everybody work at once', async () => {
  const stuck = timed('for (;;);')
  const token = await server.token({ account: 'beta', user: 1 })
  const { body, status } = await server.execute('exit(payload)', { token })
  expect([status, body.task_execution.payload]).toEqual([200, {}])
  await stuck
})
