import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findDescendants, findSurvivors, signalAll } from '../../server/processes/child-processes.ts'
import { endWithParent } from '../../server/processes/end-with-parent.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { until } from '../../server/processes/until.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test('npm start serves, and SIGTERM ends all of it', async () => {
  const folder = makeTempFolder()
  const port = String(await findFreePort())
  const npm = spawn('npm', ['start'], {
    cwd: root,
    detached: true,
    env: { ...process.env, PORT: port, DATABASE_URL: `sqlite:${join(folder.path, 'rostrum.db')}` },
    stdio: 'ignore',
  })
  endWithParent(npm, { isDetached: true })
  const ended = new Promise(resolve => npm.once('exit', resolve))
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      answer => answer.ok,
      () => false,
    )
  await until(isReady)
  const processes = findDescendants(npm.pid ?? 0)
  expect(processes.length).toBeGreaterThan(1)
  npm.kill('SIGTERM')
  await ended
  const survivors = await findSurvivors(processes, 60_000)
  signalAll(survivors, 'SIGKILL')
  folder.remove()
  expect(survivors).toEqual([])
})
