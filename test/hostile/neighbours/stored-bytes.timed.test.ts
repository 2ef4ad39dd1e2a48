import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { usualPatience } from '../../server/processes/patience.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { readRows } from '../../store/databases/read-rows.ts'
import { startNeighbour } from '../one-caller/neighbour.ts'
import { isWhole } from '../whole-sweeps.ts'
import { forgetPeakMemory, peakBytesOf } from './peak-memory.ts'

const MiB = 2 ** 20
// On PostgreSQL the figure is printed alone: a read there waits for the database too, which depends on the machine.
const maxHoldMs = 250
const maxPeakBytes = 600 * MiB
const accountBytes = 240 * MiB
// An input of 3 MiB and an event of 2 MiB for each save, and as much again for the log and free pages.
const maxDiskBytes = 330 * MiB

const makeFile = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return `sqlite:${join(folder, 'rostrum.db')}`
}

async function findDiskBytes(url: string): Promise<number> {
  if (!url.startsWith('sqlite:')) {
    const [row] = await readRows<{ bytes: string }>(
      url,
      'select pg_database_size(current_database()) as bytes',
    )
    return Number(row?.bytes)
  }
  const path = url.slice('sqlite:'.length)
  return [path, `${path}-wal`].reduce((sum, file) => sum + statSync(file).size, 0)
}

/** An account whose cases become 1 MiB before each save, and have ten hooks after it, which fail to the end. */
async function prepareAttack(server: TestServer) {
  const token = await server.token({ account: 'attacker', user: 1, scopes: ['admin'] })
  const gateway = {
    graphql: (document: string, variables?: Record<string, unknown>) =>
      server.graphql(document, variables, token),
  }
  await saveHook(gateway, `exit({ n: payload.n, a: String(payload.n % 10).repeat(${MiB - 100}) })`)
  for (let count = 0; count < 10; count++) await saveHook(gateway, 'error("later")', { event: 'post-save' })
  const send = (method: string, path: string, data: object | null, caseTypeCode = 'incident') =>
    server.rest(method, `/platform/cases${path}`, {
      token,
      ...(data === null ? {} : { body: { case: { case_type_code: caseTypeCode, data } } }),
    })
  return { send, gateway }
}

const stores = [
  ['SQLite', makeFile],
  ['PostgreSQL', createDatabase],
] as const

test.each(stores.slice(0, isWhole ? 2 : 1))(
  'on %s, small saves that store megabytes take bounded disk, memory and time of others',
  async (engine, findUrl) => {
    const DATABASE_URL = await findUrl()
    const limits = { ROSTRUM_ACCOUNT_STORE_BYTES: String(accountBytes) }
    const server = await startServer({ ...usualPatience, ...limits, DATABASE_URL, LOG_LEVEL: 'warn' })
    onTestFinished(async () => {
      await server.stop()
    })
    const { send, gateway } = await prepareAttack(server)
    expect((await send('POST', '', { n: 0 })).status).toBe(201)
    const before = await findDiskBytes(DATABASE_URL)
    forgetPeakMemory(server.pid)
    const stop = await startNeighbour(server, await server.token({ account: 'neighbour', user: 1 }))

    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => (await send('PUT', '/1', { n: n + 1 })).status),
    )
    const afterSaves = (await findDiskBytes(DATABASE_URL)) - before
    // Each of these stores a case and an event of 1 MiB, and the input of ten runs.
    let refused = 0
    for (let count = 0; count < 100 && refused === 0; count++) {
      const { status, text, headers } = await send('POST', '', { n: count })
      if (status === 201) continue
      if (!text.includes('ROSTRUM_ACCOUNT_STORE_BYTES')) continue
      expect([status, headers.get('retry-after')]).toEqual([429, '60'])
      refused += 1
    }
    const { refusals, slowestReadMs, longestHoldMs } = await stop()
    const disk = (await findDiskBytes(DATABASE_URL)) - before
    const peak = peakBytesOf(server.pid)
    const { body } = await gateway.graphql('{ viewer { storedBytes } }')
    const { storedBytes } = (body.data as { viewer: { storedBytes: number } }).viewer
    const inMiB = [afterSaves, disk, storedBytes, peak].map(bytes => Math.round(bytes / MiB))
    console.log(
      `${engine}: 30 saves took ${inMiB[0]} MiB of disk, all ${inMiB[1]}; counted ${inMiB[2]}; peak ${inMiB[3]} MiB;`,
      `neighbour's slowest read ${slowestReadMs.toFixed(0)} ms, longest hold ${longestHoldMs.toFixed(0)} ms`,
      Object.fromEntries(Map.groupBy(statuses, status => status)),
    )
    expect(refusals).toEqual([])
    expect(refused).toBe(1)
    expect(storedBytes).toBeLessThanOrEqual(accountBytes + 10 * MiB)
    expect(disk).toBeLessThan(maxDiskBytes)
    if (engine === 'SQLite') expect(longestHoldMs).toBeLessThan(maxHoldMs)
    expect(peak).toBeLessThan(maxPeakBytes)
    expect((await send('DELETE', '/1', null)).status).toBe(204)
  },
)
