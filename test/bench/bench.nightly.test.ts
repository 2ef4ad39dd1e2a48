import { spawn, spawnSync } from 'node:child_process'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { endWithParent } from '../server/processes/end-with-parent.ts'
import { isMet } from './figures/claims.ts'
import { compareAnswers } from './figures/compare-answers.ts'
import { membershipOf } from './figures/data.ts'
import { type Figures, medianRatio, processorTime } from './figures/figures.ts'
import type { Plan } from './load/plan.ts'
import { runPlan } from './load/run-plan.ts'
import { requestOf } from './load/traffic.ts'
import { canReadProcesses, processorTimeOf } from './servers/processor-time.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

async function runBench(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  endWithParent(child)
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, stdout, stderr }
}

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server that gives the `n`-th read the right answer, unless `spoil` has it otherwise. */
async function startReader(spoil: (n: number) => { status: number; body: string } | null) {
  let n = 0
  return startServer((request, response) => {
    request.resume()
    const isKnown = request.headers.authorization === 'Bearer good'
    const answer = isKnown ? (spoil(n) ?? { status: 200, body: requestOf('pointRead', n).answerStart }) : null
    if (isKnown) n++
    response.writeHead(answer?.status ?? 401).end(answer?.body)
  })
}

async function startServer(answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** The right answer, in whatever order requests arrive. */
async function answerRead(request: IncomingMessage): Promise<string> {
  const { variables } = JSON.parse(await text(request))
  const { id, userId, teamId } = membershipOf(Number(variables.id))
  const teamMembership = { id: `${id}`, userId: `${userId}`, teamId: `${teamId}`, leader: null }
  return JSON.stringify({ data: { teamMembership } })
}

const overloaded = '{"type":"urn:rostrum:problem:overloaded","title":"Overloaded","status":429}'

const plan = {
  token: 'good',
  traffic: 'pointRead',
  from: 0,
  connections: 1,
  seconds: 10,
  requests: 20,
} as const

// On a busy machine a contender saves cases slowly: the last of 64 saves at once waits past its time limit.
const shortRounds = ['--rounds', '1', '--seconds', '0.1', '--warm-up', '0', '--connections', '16']

// The queue's section takes a minute, so it has its test in the nightly run.
const sections = process.env.BENCH_SECTIONS ?? 'reads,postgres'

describe('the bench loads every contender', () => {
  let output: Awaited<ReturnType<typeof runBench>>
  beforeAll(async () => {
    output = await runBench('--only', sections, ...shortRounds)
  }, 240_000)

  const contendersOf: readonly [section: string, contenders: readonly string[], claim: string][] = [
    ['reads', ['rostrum', 'Mercurius + JIT', 'Yoga', 'Fastify by hand', 'node:http by hand'], 'GraphQL read'],
    [
      'postgres',
      ['PostgreSQL', 'PostgreSQL, 2 replicas', 'SQLite', 'Fastify + postgres by hand'],
      'PostgreSQL, REST create',
    ],
    [
      'queue',
      ['SQLite, saves and runs', 'PostgreSQL, saves and runs', 'pg-boss, saves and runs', 'refused webhook'],
      'Queue, SQLite',
    ],
  ]
  const isRun = ([section]: (typeof contendersOf)[number]) => sections.split(',').includes(section)
  test.each(contendersOf.filter(isRun))(
    'of %s and prints what each of them took',
    (section, contenders, claim) => {
      const { code, stdout, stderr } = output
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const part = stdout.split('\n## ').find(text => text.startsWith(`${section}: `)) ?? ''
      for (const name of contenders) {
        const lines = part.split('\n').filter(each => each.startsWith(`| ${name} `))
        expect(lines, name).not.toEqual([])
        for (const line of lines) {
          const figures = line
            .split('|')
            .slice(2, -1)
            .map(cell => Number(cell.replaceAll(/[,*\s]/g, '')))
          expect(figures, line).toHaveLength(5)
          expect(
            figures.filter(figure => !(figure > 0)),
            line,
          ).toEqual([])
        }
      }
      expect(stdout).toMatch(new RegExp(`${claim}: .+ at most .+ \\|\\s+(met|not met) \\|`))
    },
  )
})

test.skipIf(!canReadProcesses)('a soak prints the memory of all processes', async () => {
  const { code, stdout, stderr } = await runBench('--soak', '--runs', '100', '--reads', '100')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const last = stdout.split('\n').find(line => line.startsWith('| 100 runs ')) ?? ''
  const figures = last.split('|').slice(2, -1).map(Number)
  expect(figures, last).toHaveLength(5)
  expect(
    figures.filter(figure => !(figure > 0)),
    last,
  ).toEqual([])
})

test.each([
  [['--only', 'reads,raeds'], /no section `raeds`; take one of reads, /],
  [['--rounds', '0'], /--rounds must be a whole number from 1 to 100; it is `0`/],
  [['--seconds', 'long'], /--seconds must be a number from .+; it is `long`/],
  [['--warm-up', '61'], /--warm-up must be a number from 0 to 60; it is `61`/],
  [['--connections', '65'], /--connections must be a whole number from 1 to 64; it is `65`/],
  [['--fast'], /--fast/],
])('%j is refused by a line that says why', async (args, reason) => {
  const { code, stdout, stderr } = await runBench(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.trimEnd()).toMatch(reason)
  expect(stderr.trimEnd()).not.toContain('\n')
})

test('a load counts each answer, and fails at one that is not the one expected', async () => {
  const good = await startReader(() => null)
  expect(await runPlan({ ...plan, ports: [good] })).toMatchObject({ requests: 20 })
  const spoilt = [
    { status: 500, body: requestOf('pointRead', 10).answerStart },
    { status: 200, body: '{"errors":[{"message":"Overloaded"}]}' },
    { status: 429, body: overloaded },
  ]
  for (const answer of spoilt) {
    const port = await startReader(n => (n === 10 ? answer : null))
    await expect(runPlan({ ...plan, ports: [port] })).rejects.toThrow(`${answer.status} ${answer.body}`)
  }
})

test('only a load of more than its share may be refused as overloaded', async () => {
  const port = await startServer((request, response) => {
    request.resume()
    response.writeHead(429).end(overloaded)
  })
  const share = { ...plan, ports: [port], requests: 3 }
  expect(await runPlan({ ...share, traffic: 'busyLoop' })).toMatchObject({ requests: 3 })
  await expect(runPlan({ ...share, traffic: 'script' })).rejects.toThrow(`429 ${overloaded}`)
})

test('a load is spread over replicas evenly, connection by connection', async () => {
  const counts = [0, 0]
  const ports = await Promise.all(
    counts.map((_, i) =>
      startServer(async (request, response) => {
        counts[i] = (counts[i] ?? 0) + 1
        response.end(await answerRead(request))
      }),
    ),
  )
  await runPlan({ ...plan, ports, connections: 4, requests: 100 })
  expect(counts.map(count => Math.abs(count - 50) < 30)).toEqual([true, true])
  expect(counts[0] ?? 0).toBe(100 - (counts[1] ?? 0))
})

test('a paced load sees the requests that a stall keeps waiting, not only the one that met it', async () => {
  let stallEnds: number | null = null
  const port = await startServer(async (request, response) => {
    stallEnds ??= performance.now() + 400
    const answer = await answerRead(request)
    setTimeout(() => response.end(answer), Math.max(0, stallEnds - performance.now()))
  })
  const paced: Plan = {
    ...plan,
    ports: [port],
    connections: 64,
    perSecond: 100,
    requests: 60,
  }
  const { p50Ms } = await runPlan(paced)
  // 40 of 60 were planned within the stall, evenly: half of all waited for 100 ms or more.
  expect(p50Ms).toBeGreaterThan(60)
})

test('contenders that do not answer alike are not compared', async () => {
  // The readers count on by themselves; the last request is for another membership than their fourth.
  const last = { status: 200, body: requestOf('pointRead', 500).answerStart }
  const right = await startReader(n => (n === 3 ? last : null))
  const other = await startReader(n => (n === 3 ? { ...last, body: `${last.body} ,` } : null))
  const toServer = (port: number) => ({ name: `port ${port}`, port, pid: 0, stop: async () => undefined })
  const compare = (...ports: number[]) =>
    compareAnswers({ servers: ports.map(toServer), kind: 'pointRead', token: 'good' })
  await expect(compare(right, other)).rejects.toThrow(`port ${other} answers pointRead with 200 `)
})

test.skipIf(!canReadProcesses)('the processor time of a child that has ended is counted', () => {
  const spin = 'while (process.cpuUsage().user < 200_000);'
  const before = processorTimeOf(process.pid) ?? 0
  spawnSync(process.execPath, ['-e', spin])
  expect((processorTimeOf(process.pid) ?? 0) - before).toBeGreaterThan(150_000)
})

test('a ratio is that of the rounds, pair by pair, and its bound says whether it is met', () => {
  const figures = (microseconds: number): Figures => ({
    microseconds,
    perSecond: 1,
    p50Ms: 1,
    p99Ms: 1,
    generatorShare: 0,
  })
  // The machine was three times as slow in the second round, for both.
  const ours = [20, 60, 20].map(figures)
  const theirs = [40, 120, 30].map(figures)
  const measured = medianRatio(ours, theirs, processorTime)
  expect(measured).toBe(0.5)
  expect(isMet({ what: '', measured, bound: 0.5, holds: 'at most' })).toBe(true)
  expect(isMet({ what: '', measured, bound: 0.6, holds: 'at least' })).toBe(false)
  expect(isMet({ what: '', measured: null, bound: 1, holds: 'at most' })).toBe(null)
})
