import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findFreePort } from '../server/free-port.ts'
import { startServer } from '../server/start-server.ts'
import { makeTempFolder } from '../server/temp-folder.ts'
import { judgeLoad } from './judge-load.ts'
import { startLoad } from './start-load.ts'

const kills = 50

test('a SQLite gateway that is killed 50 times under load has lost nothing it answered', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const settings = {
    PORT: String(await findFreePort()),
    DATABASE_URL: `sqlite:${folder.path}/store.db`,
    ROSTRUM_SANDBOXES: '1',
  }
  let server = await startServer(settings)
  const { baseUrl, adminToken } = server
  const load = startLoad({ baseUrls: [baseUrl], token: adminToken, clients: 24, isKeyed: true })
  for (let kill = 1; kill <= kills; kill += 1) {
    await sleep(20 + Math.random() * 120)
    await server.kill()
    server = await startServer(settings)
  }
  await sleep(100)
  await load.stop()
  expect((await fetch(`${baseUrl}/ready`)).status).toBe(200)
  await server.stop()
  await judgeLoad(`SQLite, ${kills} kills`, load, settings.DATABASE_URL)
}, 120_000)
