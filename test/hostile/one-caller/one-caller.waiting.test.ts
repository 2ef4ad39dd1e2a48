// What one caller can do to the others: each attack of `attacks.ts` from a process and accounts of its own, with the
// requests of another account measured beside it. The gateway stays alive and under 600 MB, and its SQLite file under
// 256 MB. The neighbour is never refused. How long it waited is printed, and not asserted, since it depends on the
// machine: the aim is 250 ms (500 ms beside seven hostile runs).

import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'
import { usualPatience } from '../../server/processes/patience.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { forgetPeakMemory, peakBytesOf } from '../neighbours/peak-memory.ts'
import { isWhole } from '../whole-sweeps.ts'
import { type AttackName, attackNames } from './attacks.ts'
import { measureBusyness } from './measure-busyness.ts'
import { startNeighbour } from './neighbour.ts'
import type { AttackStage } from './send.ts'

// Past that, a run without a sandbox says more of other processes than of the gateway.
const maxBusyness = 1.3
// Refusals for which a machine that is slow enough is a reason.
const ofTime = /^run \d+ .*(No sandbox became free|"TIMEOUT")/
const waiting: AttackName = 'runs that wait for a silent host'
// Each of these aims at what another attack aims at too. `HOSTILE=all` makes them as well.
const alike: readonly AttackName[] = [
  'the same under a key, over GraphQL',
  'unknown paths, pipelined over one connection',
  'probes, pipelined over five connections',
  'reads of 45 pages',
  'ten dry runs at once on cases of many values',
]
const isMade = (name: AttackName) => isWhole || !alike.includes(name)
const maxPeakBytes = 600 * 2 ** 20
const maxStoreBytes = 256 * 2 ** 20
const accounts = ['attacker', 'second', 'third', 'fourth', 'fifth']
const scopes = [
  'memberships:read',
  'memberships:write',
  'tasks:execute',
  'cases:write',
  'functions:write',
] as const

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20)

let silent: Upstream
let last = 0

beforeAll(async () => {
  silent = await startUpstream(() => {})
})
afterAll(() => silent.close())

/** A gateway for the attacks of one `describe`. */
function useGateway(settings: () => Promise<Record<string, string>>): () => TestServer {
  let server: TestServer | undefined
  beforeAll(async () => {
    const hosts = { ROSTRUM_GRAPHQL_HOSTS: silent.host }
    server = await startServer({ ...usualPatience, ...hosts, LOG_LEVEL: 'warn', ...(await settings()) })
  })
  afterAll(async () => void (await server?.stop()))
  return () => server ?? expect.unreachable()
}

async function runAttack(name: AttackName, started: TestServer) {
  started.pauseStdout()
  // New accounts for each attack.
  last += 1
  const tokens = await Promise.all(
    accounts.map(account => started.token({ account: `${account}-${last}`, scopes })),
  )
  const neighbour = await started.token({ account: `neighbour-${last}`, scopes })
  const busyBefore = measureBusyness()
  const stop = await startNeighbour(started, neighbour)
  forgetPeakMemory(started.pid)
  const stage: AttackStage = { baseUrl: started.baseUrl, tokens, silentUrl: silent.url }
  const args = [pathOf('attack.ts'), name, JSON.stringify(stage)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const report = await stop()
  const peakBytes = peakBytesOf(started.pid)
  const busyness = Math.max(1, busyBefore, measureBusyness())
  const { slowestReadMs, slowestRunMs, longestHoldMs, refusals, requests } = report
  console.log(
    `${name}: gateway at most ${megabytes(peakBytes)} MB, store ${megabytes(storeBytesOf(started))} MB; ` +
      `neighbour ${requests} requests, ${refusals.length} refused, ` +
      `slowest read ${slowestReadMs.toFixed()} ms, run ${slowestRunMs.toFixed()} ms; ` +
      `loop computed ${longestHoldMs.toFixed()} ms; ` +
      `machine ${busyness.toFixed(1)} times slower by others; attacker ${stdout}`,
  )
  const { status } = await fetch(`${started.baseUrl}/health`)
  started.resumeStdout()
  return { ...report, peakBytes, storeBytes: storeBytesOf(started), status, busyness }
}

function judge({ status, peakBytes, storeBytes, busyness, refusals }: Awaited<ReturnType<typeof runAttack>>) {
  expect(status).toBe(200)
  const isBusy = busyness > maxBusyness
  expect(refusals.filter(refusal => !isBusy || !ofTime.test(refusal))).toEqual([])
  expect(peakBytes).toBeLessThan(maxPeakBytes)
  expect(storeBytes).toBeLessThan(maxStoreBytes)
}

// Of a file with its log; 0 of another database.
function storeBytesOf({ settings: { DATABASE_URL = '' } }: TestServer): number {
  const path = /^sqlite:(.+)$/.exec(DATABASE_URL)?.[1]
  if (path === undefined) return 0
  return statSync(path).size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0)
}

describe.each(attackNames)('on SQLite, at the $aim', ({ names }) => {
  const server = useGateway(async () => ({}))
  const shared = names.filter(name => name !== waiting && isMade(name))
  test.each(shared)('%s cost a neighbour nothing', async name => judge(await runAttack(name, server())))
})

describe('on SQLite, where a run ends before its attack', () => {
  const server = useGateway(async () => ({ ROSTRUM_TASK_TIMEOUT_MS: '3000' }))
  test(`${waiting} cost a neighbour nothing`, async () => judge(await runAttack(waiting, server())))
})

// `neighbours-on-postgres` attacks with long pages, made-up tokens and probes. What these do to the database is done on
// SQLite too.
const onPostgres: readonly AttackName[] = [
  'operations at the bound of cost',
  ...(isWhole ? (['results of runs kept under keys', 'streams and bulk changes'] as const) : []),
]

describe.each(onPostgres)('on PostgreSQL', name => {
  const server = useGateway(async () => ({ DATABASE_URL: await createDatabase() }))
  test(`${name} cost a neighbour nothing`, async () => judge(await runAttack(name, server())))
})
