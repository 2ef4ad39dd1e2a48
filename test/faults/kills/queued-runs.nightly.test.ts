import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { startPostgres } from '../../store/databases/postgres.ts'
import { untilReady } from '../replicas/until-ready.ts'
import { create, ends, put, script, start, startReports, statesOf } from './queue-stage.ts'

test('three gateways run the hook of 200 saves of 20 cases once each, in the order of the saves', async () => {
  const { reports, upstream } = await startReports()
  const settings = { DATABASE_URL: await createDatabase(), ROSTRUM_GRAPHQL_HOSTS: upstream.host }
  const servers = [await start(settings), await start(settings), await start(settings)]
  const at = (index: number) => servers[index % servers.length] as TestServer
  const ids: number[] = []
  for (let count = 0; count < 20; count++) ids.push((await create(at(count))).body.case.id)
  await saveHook(at(0), script(upstream), { event: 'post-save' })
  const saveAll = async (id: number) => {
    for (let n = 0; n < 10; n++) await put(at(n + id), id, { n })
  }
  await Promise.all(ids.map(saveAll))
  await expect.poll(() => statesOf(at(1)), { timeout: 60_000 }).toEqual([])
  expect(reports).toHaveLength(200)
  for (const id of ids) {
    const versions = reports.filter(report => report.id === id).map(({ version }) => version)
    expect(versions).toEqual(Array.from({ length: 10 }, (_, index) => index + 2))
  }
})

test('PostgreSQL stopped and killed under load loses no hook of 100 saves', async () => {
  const { reports, upstream } = await startReports()
  const postgres = await startPostgres(['-c', 'shared_buffers=32MB'])
  ends.push(() => postgres.stop())
  const settings = {
    DATABASE_URL: await postgres.createDatabase(),
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    ROSTRUM_RETRY_MS: '100,200,400,800,1600,3200,6400',
  }
  const servers = [await start(settings), await start(settings)]
  const at = (index: number) => servers[index % servers.length] as TestServer
  const ids: number[] = []
  for (let count = 0; count < 10; count++) ids.push((await create(at(count))).body.case.id)
  await saveHook(at(0), script(upstream), { event: 'post-save' })
  const saveAll = async (id: number) => {
    for (let n = 0; n < 10; n++) {
      await put(at(n + id), id, { n })
      await sleep(200)
    }
  }
  const saving = Promise.all(ids.map(saveAll))
  await sleep(500)
  await postgres.restart(() => sleep(500))
  await Promise.all(servers.map(({ baseUrl }) => untilReady(baseUrl)))
  await sleep(500)
  await postgres.crash()
  await saving
  await expect.poll(() => statesOf(at(1)), { timeout: 60_000 }).toEqual([])
  for (const id of ids) {
    const versions = reports.filter(report => report.id === id).map(({ version }) => version)
    // A run whose end was cut off runs again, before the next one of its case.
    const eachOnce = versions.filter((version, index) => version !== versions[index - 1])
    expect(eachOnce).toEqual(Array.from({ length: 10 }, (_, index) => index + 2))
  }
  console.info(`100 saves, ${reports.length} runs`)
})

test('a gateway that hangs past its lease changes nothing of a run that another one ran', async () => {
  const held = Promise.withResolvers<void>()
  let calls = 0
  const { reports, upstream } = await startReports(async () => {
    calls += 1
    if (calls === 1) await held.promise
  })
  const settings = {
    DATABASE_URL: await createDatabase(),
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    ROSTRUM_QUEUE_LEASE_MS: '1500',
    ROSTRUM_TASK_TIMEOUT_MS: '60000',
  }
  const hung = await start(settings)
  await saveHook(hung, script(upstream), { event: 'post-save' })
  const { id } = (await create(hung)).body.case
  await expect.poll(() => reports.length).toBe(1)
  // Until the run is listed as running.
  await sleep(1_000)
  process.kill(hung.pid, 'SIGSTOP')
  const other = await start(settings)
  await expect.poll(() => reports.length, { timeout: 20_000 }).toBe(2)
  await expect.poll(() => statesOf(other)).toEqual([])
  await put(other, id, { later: true })
  await expect.poll(() => reports.length, { timeout: 20_000 }).toBe(3)
  held.resolve()
  process.kill(hung.pid, 'SIGCONT')
  const runs = async () => {
    const document = '{ runs(filter: {trigger: HOOK}) { nodes { state attempt caseVersion } } }'
    const { body } = await other.graphql<{ runs: { nodes: object[] } }>(document)
    return body.data?.runs.nodes
  }
  const lost = { state: 'LOST', attempt: 1, caseVersion: 1 }
  await expect.poll(runs, { timeout: 20_000 }).toHaveLength(3)
  await sleep(2_000)
  expect(await runs()).toEqual(
    expect.arrayContaining([
      lost,
      { state: 'ENDED', attempt: 2, caseVersion: 1 },
      { state: 'ENDED', attempt: 1, caseVersion: 2 },
    ]),
  )
  expect([await statesOf(other), reports.length]).toEqual([[], 3])
})

test('a gateway that gets SIGTERM gives its run back at once', async () => {
  const { reports, upstream } = await startReports(({ version }) => version === 1 && sleep(60_000))
  const settings = {
    DATABASE_URL: await createDatabase(),
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    ROSTRUM_TASK_TIMEOUT_MS: '60000',
  }
  const first = await startServer(settings)
  await saveHook(first, script(upstream), { event: 'post-save' })
  await create(first)
  await expect.poll(() => reports.length).toBe(1)
  expect(await first.stop()).toBe(0)
  const other = await start(settings)
  await expect.poll(() => reports.length).toBe(2)
  const document =
    '{ queuedRuns { nodes { state attempt } } runs(filter: {state: LOST}) { nodes { attempt } } }'
  const { body } = await other.graphql<{ queuedRuns: object; runs: object }>(document)
  expect(body.data).toEqual({
    queuedRuns: { nodes: [{ state: 'RUNNING', attempt: 1 }] },
    runs: { nodes: [{ attempt: 1 }] },
  })
})
