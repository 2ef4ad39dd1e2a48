import { expect, test } from 'vitest'
import { findFreePort } from '../../server/processes/free-port.ts'
import { spawnCommand } from '../../server/processes/spawn-command.ts'
import { until } from '../../server/processes/until.ts'

// As on a Linux without `/proc`.
const preload = `data:text/javascript,process.memoryUsage.rss = () => { throw new Error('ENOENT') }`

test('a gateway serves on a system that does not say how much memory it holds', async () => {
  const port = String(await findFreePort())
  const settings = { PORT: port, DATABASE_URL: 'sqlite::memory:', ROSTRUM_ADMIN_TOKEN: 'token-of-the-test' }
  const gateway = spawnCommand([], settings, preload)
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      answer => answer.ok,
      () => false,
    )
  await until(async () => gateway.process.exitCode !== null || (await isReady()))
  gateway.process.kill()
  expect(await gateway.ended).toBe(0)
})
