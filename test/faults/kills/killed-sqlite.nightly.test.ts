import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import { createGatewayClient } from '../../server/clients/gateway-client.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { type Command, spawnCommand, withoutBanner } from '../../server/processes/spawn-command.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { judgeLoad } from '../history/judge-load.ts'
import { type RunningLoad, startLoad } from '../history/start-load.ts'
import { untilReady } from '../replicas/until-ready.ts'
import { create, expectEachRan, script, startReports } from './queue-stage.ts'

// The nightly mode kills more often.
const kills = Number(process.env.KILLS ?? 4)
const leastChangesOfALife = 80
const standBy = fileURLToPath(new URL('../replicas/stand-by.ts', import.meta.url))

test(`a SQLite gateway killed ${kills} times, each time after a 201, loses no answer and no hook`, async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const { reports, upstream } = await startReports()
  const token = 'admin-token-of-the-tests'
  const settings = {
    PORT: String(await findFreePort()),
    DATABASE_URL: `sqlite:${folder.path}/store.db`,
    ROSTRUM_SANDBOXES: '1',
    ROSTRUM_ADMIN_TOKEN: token,
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
  }
  const baseUrl = `http://127.0.0.1:${settings.PORT}`
  // While one serves, the next loads its code.
  const spawnNext = () => spawnCommand([], settings, standBy)
  let [gateway, next] = [spawnNext(), spawnNext()]
  onTestFinished(() => {
    for (const { process } of [gateway, next]) process.kill('SIGKILL')
  })
  gateway.process.send('begin')
  await untilReady(baseUrl)
  const client = createGatewayClient({ baseUrl, adminToken: token, databaseUrl: settings.DATABASE_URL })
  await saveHook(client, script(upstream), { event: 'post-save' })
  const saved: number[] = []
  const load = startLoad({ baseUrls: [baseUrl], token, clients: 24, isKeyed: true })
  for (let kill = 1; kill <= kills; kill += 1) {
    await untilChanged(load, gateway)
    await sleep(Math.random() * 120)
    const answer = await create(client, { kill })
    gateway.process.kill('SIGKILL')
    expect(answer.status).toBe(201)
    saved.push(answer.body.case.id)
    await gateway.ended
    next.process.send('begin')
    ;[gateway, next] = [next, spawnNext()]
  }
  await untilChanged(load, gateway)
  await untilReady(baseUrl)
  await load.stop()
  await expectEachRan(client, saved, reports)
  gateway.process.kill('SIGTERM')
  expect([await gateway.ended, withoutBanner(gateway.stderr())]).toEqual([0, ''])
  await judgeLoad(`SQLite, ${kills} kills`, load, settings.DATABASE_URL)
}, 240_000)

/** Resolves once this gateway has acknowledged its least number of changes. */
async function untilChanged({ history }: RunningLoad, gateway: Command): Promise<void> {
  const enough = history.counts().changes + leastChangesOfALife
  while (history.counts().changes < enough) {
    if (gateway.process.exitCode !== null)
      throw new Error(`The gateway ended by itself:\n${gateway.stderr()}`)
    await sleep(5)
  }
}
