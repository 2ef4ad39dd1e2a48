import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { startPostgres } from '../../store/databases/postgres.ts'
import { judgeLoad } from '../history/judge-load.ts'
import { startLoad } from '../history/start-load.ts'
import { untilReady } from './until-ready.ts'

test('three killed replicas, and PostgreSQL stopped and killed, lose and double nothing', async () => {
  // Unlike those of other tests it keeps what it has answered, whatever happens.
  const postgres = await startPostgres(['-c', 'shared_buffers=32MB'])
  const DATABASE_URL = await postgres.createDatabase()
  const start = async (port: number) =>
    startServer({ PORT: String(port), DATABASE_URL, ROSTRUM_SANDBOXES: '1' })
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()]
  const replicas: TestServer[] = await Promise.all(ports.map(start))
  onTestFinished(async () => {
    await Promise.all(replicas.map(replica => replica.stop()))
    await postgres.stop()
  })
  const baseUrls = replicas.map(({ baseUrl }) => baseUrl)
  const load = startLoad({ baseUrls, token: replicas[0]?.adminToken ?? '', clients: 24, isKeyed: true })

  for (const [index, port] of ports.entries()) {
    await sleep(700)
    await replicas[index]?.kill()
    replicas[index] = await start(port)
  }
  await sleep(500)
  await postgres.restart(() => sleep(1_000))
  await Promise.all(baseUrls.map(untilReady))
  await sleep(500)
  await postgres.crash()
  await Promise.all(baseUrls.map(untilReady))
  await sleep(500)
  await judgeLoad('3 replicas, 3 kills, PostgreSQL stopped once and killed once', load, DATABASE_URL)
  for (const replica of replicas) expect(replica.stderr()).toBe('')
}, 120_000)
