import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { findDescendants, findSurvivors, isEnding } from '../../server/processes/child-processes.ts'
import { usualPatience } from '../../server/processes/patience.ts'
import { quantile, startSteadyLoad } from '../neighbours/steady-load.ts'
import type { FloodReport } from './flood.ts'

const flood = fileURLToPath(new URL('./flood.ts', import.meta.url))
const seconds = 4

let server: TestServer
let flooder: string
let neighbour: string

beforeAll(async () => {
  server = await startServer({ ...usualPatience })
  // Or this process would spend its time on reading what the flooder logs. It is written all the same, as far as it
  // fits.
  server.pauseStdout()
  flooder = await server.token({ account: 'flooder', user: 1 })
  neighbour = await server.token({ account: 'neighbour', user: 1 })
})
afterAll(() => server.stop())

async function floodWith(kinds: string, connections: number): Promise<FloodReport> {
  const args = [flood, server.baseUrl, flooder, kinds, String(connections), String(seconds)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

// Starts one more run of the flooder every 100 ms during the flood. Gives the times of the refused ones.
async function probeRefusals(during: Promise<unknown>): Promise<number[]> {
  const refusedMs: number[] = []
  const probes: Promise<void>[] = []
  let isOver = false
  const end = () => {
    isOver = true
  }
  during.then(end, end)
  await sleep(1_500)
  while (!isOver) {
    const started = performance.now()
    const probe = server.execute('exit(1)', { token: flooder }).then(({ status, text }) => {
      if (status === 429 && text.includes('waiting already')) refusedMs.push(performance.now() - started)
    })
    probes.push(probe)
    await sleep(100)
  }
  await Promise.all(probes)
  return refusedMs.sort((a, b) => a - b)
}

describe('one account that floods', () => {
  test.each([
    ['read', 300],
    ['write', 300],
    ['run', 100],
    ['log', 150],
    ['read,write,run,log', 400],
  ])(
    'with %s from %d connections leaves its neighbour its answers',
    async (kinds, connections) => {
      const stop = await startSteadyLoad(server, neighbour)
      const flooding = floodWith(kinds, connections)
      const refusedMs = kinds === 'run' ? await probeRefusals(flooding) : []
      const { answers, slowestMs } = await flooding
      const { failures, latencies } = await stop()
      const lines = Object.entries(latencies).map(
        ([kind, ms]) =>
          `${kind} ${ms.length} × ${quantile(ms, 0.5).toFixed(1)} / ${quantile(ms, 0.99).toFixed(1)} ms`,
      )
      console.log(`${kinds}: neighbour's median / p99 ${lines.join(', ')}`, answers, { slowestMs, refusedMs })

      expect(failures).toEqual([])
      for (const ms of Object.values(latencies)) {
        expect(ms.length).toBeGreaterThan(50)
        expect(quantile(ms, 0.99)).toBeLessThan(2_000)
      }
      // Nothing but answers: 429 is one of them.
      for (const word of Object.keys(answers)) expect(word).toMatch(/ (200|201|409|429)$/)
      // A wait of 2 s for a sandbox, and a run after others on two processors.
      expect(slowestMs).toBeLessThan(10_000)
      if (kinds !== 'run') return
      expect(answers['run 429']).toBeGreaterThan(100)
      expect(refusedMs.length).toBeGreaterThan(10)
      // The flooder's own process wants one of the processors.
      expect(quantile(refusedMs, 0.5)).toBeLessThan(50)
      expect(quantile(refusedMs, 0.9)).toBeLessThan(250)
    },
    60_000,
  )
})

describe('a client that disconnects frees its sandbox within 100 ms', () => {
  test.each([
    [
      'that waits',
      `await graphql('mutation { executeTask(input: {name: "n", sourceCode: "for(;;);", ' +
        'inputDocument: "{}", options: "{}"}) { id } }')`,
    ],
    ['that loops', 'for (;;);'],
    ['that loops in a native function', 'const a = []; a.length = 2 ** 32 - 1; a[5] = 1; a.reverse()'],
    [
      'that holds memory',
      'const a = []; for (let n = 0; n < 40; n++) a.push(new Uint8Array(2 ** 20).fill(1)); for (;;);',
    ],
    // The machine may take a processor away for longer than that. So one of three attempts has to be in time.
  ])('%s', { retry: 2 }, async (_, source) => {
    await sleep(500)
    const before = findDescendants(server.pid)
    const controller = new AbortController()
    const run = server.execute(source, { token: flooder, signal: controller.signal })
    const aborted = expect(run).rejects.toThrow()
    await sleep(300)
    const started = performance.now()
    controller.abort()
    await aborted
    let left = before
    while (left.length === before.length && performance.now() - started < 1_000) {
      await sleep(5)
      const now = new Set(findDescendants(server.pid))
      left = before.filter(pid => now.has(pid) && !isEnding(pid))
    }
    expect(performance.now() - started).toBeLessThan(100)
    const lost = before.filter(pid => !left.includes(pid))
    expect(await findSurvivors(lost, 1_000)).toEqual([])
    expect((await server.execute('exit(1)', { token: flooder })).status).toBe(200)
  })
})
