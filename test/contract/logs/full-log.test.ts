import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { endWithParent } from '../../server/processes/end-with-parent.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
// Every write to it fails as on a full disk.
const fullDisk = '/dev/full'

test.skipIf(!existsSync(fullDisk))(
  'a log and a first text on a full disk end no gateway, and hold up no stop (where there is a `/dev/full`)',
  async () => {
    const folder = makeTempFolder()
    const port = await findFreePort()
    const output = openSync(fullDisk, 'w')
    const gateway = spawn(process.execPath, ['src/start.mjs'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        DATABASE_URL: `sqlite:${join(folder.path, 'a.db')}`,
      },
      stdio: ['ignore', output, output],
    })
    endWithParent(gateway)
    closeSync(output)
    const ended = once(gateway, 'exit')
    try {
      const ask = () =>
        fetch(`http://127.0.0.1:${port}/ready`).then(
          ({ status }) => status,
          () => null,
        )
      for (let waited = 0; (await ask()) !== 200 && waited < 60_000; waited += 50) await sleep(50)
      for (let n = 0; n < 10; n++) expect(await ask()).toBe(200)
      gateway.kill('SIGTERM')
      const killed = setTimeout(() => gateway.kill('SIGKILL'), 60_000)
      expect(await ended).toEqual([0, null])
      clearTimeout(killed)
    } finally {
      gateway.kill('SIGKILL')
      await ended
      folder.remove()
    }
  },
)
