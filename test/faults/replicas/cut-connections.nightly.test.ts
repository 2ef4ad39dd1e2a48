import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../server/gateways/start-server.ts'
import { type PostgresServer, startPostgres } from '../../store/databases/postgres.ts'
import { judgeLoad } from '../history/judge-load.ts'
import { startLoad } from '../history/start-load.ts'
import { startProxy } from './start-proxy.ts'
import { untilReady } from './until-ready.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const between = (least: number, most: number) => () => Math.floor(least + Math.random() * (most - least))

async function start(url: string) {
  const server = await startServer({ DATABASE_URL: url, ROSTRUM_SANDBOXES: '1' })
  onTestFinished(async () => void (await server.stop()))
  return server
}

test('answers that are cut on their way to the client leave no change lost, doubled or half made', async () => {
  const url = await postgres.createDatabase()
  const server = await start(url)
  const proxy = await startProxy(Number(server.settings.PORT))
  onTestFinished(() => proxy.stop())
  const baseUrls = [`http://127.0.0.1:${proxy.port}`]
  // Some are cut in the first line, some in the body, some only after a few more answers.
  proxy.setWeather({ kind: 'cut', afterBytes: between(1, 3_000) })
  const load = startLoad({ baseUrls, token: server.adminToken, clients: 24, isKeyed: true })
  await sleep(5_000)
  proxy.setWeather({ kind: 'fair' })
  await untilReady(server.baseUrl)
  await judgeLoad(`${proxy.cuts()} answers cut before the client`, load, url)
  expect(proxy.cuts()).toBeGreaterThan(20)
}, 60_000)

test.each([
  { clients: 'that ask once', isKeyed: false },
  { clients: 'that ask again under their key', isKeyed: true },
])(
  'cut answers of PostgreSQL lose, double and halve no change of clients $clients',
  async ({ isKeyed }) => {
    const url = await postgres.createDatabase()
    const proxy = await startProxy(Number(new URL(url).port))
    onTestFinished(() => proxy.stop())
    const server = await start(url.replace(/:\d+\//, `:${proxy.port}/`))
    const load = startLoad({
      baseUrls: [server.baseUrl],
      token: server.adminToken,
      clients: 24,
      isKeyed,
    })
    await sleep(500)
    // Connecting takes about 500 bytes.
    for (let storm = 1; storm <= 5; storm += 1) {
      proxy.setWeather({ kind: 'cut', afterBytes: between(100, 6_000) })
      await postgres.restart(async () => {})
      await sleep(1_000)
    }
    proxy.setWeather({ kind: 'fair' })
    await untilReady(server.baseUrl)
    await sleep(500)
    await judgeLoad(`${proxy.cuts()} answers of PostgreSQL cut`, load, url)
    expect(proxy.cuts()).toBeGreaterThan(20)
  },
  60_000,
)
