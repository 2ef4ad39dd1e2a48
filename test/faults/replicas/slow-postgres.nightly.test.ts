import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../server/gateways/start-server.ts'
import { startPostgres } from '../../store/databases/postgres.ts'
import { judgeLoad } from '../history/judge-load.ts'
import { startLoad } from '../history/start-load.ts'
import { startProxy } from './start-proxy.ts'
import { untilReady } from './until-ready.ts'

test('while PostgreSQL is slow, silent or gone, every call is answered within seconds', async () => {
  const postgres = await startPostgres()
  const url = await postgres.createDatabase()
  const proxy = await startProxy(Number(new URL(url).port))
  const server = await startServer({
    DATABASE_URL: url.replace(/:\d+\//, `:${proxy.port}/`),
    ROSTRUM_SANDBOXES: '1',
  })
  onTestFinished(async () => {
    await server.stop()
    await proxy.stop()
    await postgres.stop()
  })
  const readiness = async () => (await fetch(`${server.baseUrl}/ready`)).status
  const load = startLoad({
    baseUrls: [server.baseUrl],
    token: server.adminToken,
    clients: 32,
    isKeyed: false,
  })

  await sleep(500)
  proxy.setWeather({ kind: 'slow', delayMs: 300 })
  await sleep(3_000)
  proxy.setWeather({ kind: 'silent' })
  await sleep(1_000)
  expect(await readiness()).toBe(503)
  await sleep(5_000)
  proxy.setWeather({ kind: 'fair' })
  await untilReady(server.baseUrl)
  await sleep(500)
  await postgres.restart(async () => {
    expect(await readiness()).toBe(503)
    expect((await fetch(`${server.baseUrl}/health`)).status).toBe(200)
    // Whose token it is, is in the store.
    const headers = { authorization: `Bearer ${server.adminToken}` }
    expect((await fetch(`${server.baseUrl}/metrics`, { headers })).status).toBe(503)
    await sleep(2_000)
  })
  await untilReady(server.baseUrl)
  await sleep(500)
  await judgeLoad('PostgreSQL slow for 3 s, silent for 6 s, gone for 2 s', load, url)
  // To know who asks and then to answer are a call each.
  expect(load.longestMs()).toBeLessThan(15_000)
}, 90_000)
