import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { usualPatience } from '../../server/processes/patience.ts'
import { isWhole } from '../whole-sweeps.ts'
import { type LoadReport, quantile, startSteadyLoad } from './steady-load.ts'

const attack = fileURLToPath(new URL('../corpus/attack-with-corpus.ts', import.meta.url))
const maxTimesSlower = 5
// Half of the corpus runs at a landing.
const part = isWhole ? 1 : 0.5
const folder = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/rostrum-test-') : null

let server: TestServer
let attacker: string
let neighbour: string

beforeAll(async () => {
  // In memory where the system has a folder for that: the pauses of a disk are none of the corpus.
  server = await startServer({
    ...usualPatience,
    ...(folder === null ? {} : { DATABASE_URL: `sqlite:${join(folder, 'rostrum.db')}` }),
  })
  attacker = await server.token({ account: 'attacker', user: 1 })
  neighbour = await server.token({ account: 'neighbour', user: 1 })
})
afterAll(async () => {
  await server.stop()
  if (folder !== null) rmSync(folder, { recursive: true })
})

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
  const all = p99Of({ failures, latencies }).toFixed(1)
  return `${name}: ${failures.length} failed; p99 of all ${all} ms; median / p99: ${kinds.join(', ')}`
}

function p99Of({ latencies }: LoadReport): number {
  return quantile(
    Object.values(latencies)
      .flat()
      .toSorted((a, b) => a - b),
    0.99,
  )
}

test('while one account runs scripts of the corpus, no request of another fails, and its reads and writes go on', {
  timeout: 240_000,
}, async () => {
  await loadWhile(() => sleep(2_000))
  const quiet = await loadWhile(() => sleep(5_000))
  let outcomes: Record<string, number> = {}
  const hostile = await loadWhile(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [attack, server.baseUrl, attacker])
    outcomes = JSON.parse(stdout)
  })
  console.log([describe('quiet', quiet), describe('beside the corpus', hostile)].join('\n'), outcomes)

  expect(outcomes.TIMEOUT).toBeGreaterThan(15 * part)
  expect((outcomes.MEMORY ?? 0) + (outcomes.CRASHED ?? 0)).toBeGreaterThan(5 * part)
  expect([quiet.failures, hostile.failures]).toEqual([[], []])
  for (const ms of Object.values(hostile.latencies)) expect(ms.length).toBeGreaterThan(300 * part)
  // A run shares the processors with those of the corpus. How long it takes is printed, as in `one-caller`.
  const { read, write } = hostile.latencies
  expect(p99Of({ ...hostile, latencies: { run: [], read, write } })).toBeLessThan(
    maxTimesSlower * p99Of(quiet),
  )
})
