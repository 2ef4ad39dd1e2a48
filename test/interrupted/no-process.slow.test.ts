import { spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { isWhole } from '../hostile/whole-sweeps.ts'
import { findDescendants, findSurvivors } from '../server/processes/child-processes.ts'
import { endWithParent } from '../server/processes/end-with-parent.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/interrupted/vitest.config.ts']

/** Starts a run of the tests in a process group of its own, and waits until its gateways and PostgreSQL run. */
async function startRun() {
  // What the run cannot remove any more is removed with this folder.
  const { path, remove } = makeTempFolder()
  onTestFinished(remove)
  // The user of PostgreSQL goes through it.
  chmodSync(path, 0o711)
  const run = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, TMPDIR: path },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithParent(run, { isDetached: true })
  let output = ''
  const worker = await new Promise<number>((resolve, reject) => {
    for (const stream of [run.stdout, run.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        output += text
        const [, pid] = /started by (\d+)\./.exec(output) ?? []
        if (pid !== undefined) resolve(Number(pid))
      })
    }
    run.once('close', () => reject(new Error(output)))
  })
  const main = run.pid ?? 0
  const pids = findDescendants(main)
  // The worker, two gateways with sandboxes, PostgreSQL with its own, and what watches them.
  expect(pids.length).toBeGreaterThan(10)
  return { main, worker, pids: [main, ...pids] }
}

type Interruption = [name: string, interrupt: (run: { main: number; worker: number }) => void]

const unlike: readonly Interruption[] = [
  ['Ctrl-C', ({ main }) => process.kill(-main, 'SIGINT')],
  ['a SIGKILL', ({ main }) => process.kill(main, 'SIGKILL')],
]
const others: readonly Interruption[] = [
  ['a SIGTERM', ({ main }) => process.kill(main, 'SIGTERM')],
  ['a SIGKILL of its worker', ({ worker }) => process.kill(worker, 'SIGKILL')],
]

test.each(isWhole ? [...unlike, ...others] : unlike)(
  'a run of the tests leaves no process after %s',
  async (_, interrupt) => {
    const { pids, ...run } = await startRun()
    interrupt(run)
    expect(await findSurvivors(pids)).toEqual([])
  },
)
