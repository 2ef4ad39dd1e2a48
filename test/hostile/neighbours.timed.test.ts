import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server/start-server.ts'
import { type Kind, type LoadReport, quantile, startSteadyLoad } from './steady-load.ts'

const attack = fileURLToPath(new URL('attack-with-corpus.ts', import.meta.url))
const mostTimesSlower = 5

let server: TestServer
let attacker: string
let neighbour: string

beforeAll(async () => {
  server = await startServer()
  attacker = await server.token({ account: 'attacker', user: 1 })
  neighbour = await server.token({ account: 'neighbour', user: 1 })
})
afterAll(() => server.stop())

async function loadWhile(during: () => Promise<unknown>): Promise<LoadReport> {
  const stop = await startSteadyLoad(server, neighbour)
  await during()
  return stop()
}

function describe(name: string, { failures, latencies }: LoadReport): string {
  const kinds = Object.entries(latencies).map(([kind, ms]) => {
    const [median, p99] = [0.5, 0.99].map(share => quantile(ms, share).toFixed(1))
    return `${kind} ${ms.length} × ${median} / ${p99} ms`
  })
  return `${name}: ${failures.length} failed; median / p99: ${kinds.join(', ')}`
}

test('while one account runs the whole corpus, no request of another fails or takes five times as long', {
  timeout: 240_000,
}, async () => {
  await loadWhile(() => sleep(3_000))
  const quiet = await loadWhile(() => sleep(20_000))
  let outcomes: Record<string, number> = {}
  const hostile = await loadWhile(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [attack, server.baseUrl, attacker])
    outcomes = JSON.parse(stdout)
  })
  console.log([describe('quiet', quiet), describe('beside the corpus', hostile)].join('\n'), outcomes)

  expect(outcomes.TIMEOUT).toBeGreaterThan(15)
  expect((outcomes.MEMORY ?? 0) + (outcomes.CRASHED ?? 0)).toBeGreaterThan(5)
  expect([quiet.failures, hostile.failures]).toEqual([[], []])
  for (const kind of ['run', 'read', 'write'] satisfies Kind[]) {
    expect(hostile.latencies[kind].length).toBeGreaterThan(300)
    const allowedMs = mostTimesSlower * quantile(quiet.latencies[kind], 0.99)
    expect(quantile(hostile.latencies[kind], 0.99), kind).toBeLessThan(allowedMs)
  }
})
