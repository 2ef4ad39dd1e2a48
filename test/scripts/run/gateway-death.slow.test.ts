import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { isWhole } from '../../hostile/whole-sweeps.ts'
import { startServer } from '../../server/gateways/start-server.ts'
import { findDescendants, findSurvivors, signalAll } from '../../server/processes/child-processes.ts'
import { endWithParent } from '../../server/processes/end-with-parent.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import { spawnCommand } from '../../server/processes/spawn-command.ts'

const file = fileURLToPath(new URL('../launch/gateway-like.ts', import.meta.url))
const path = process.env.PATH ?? ''
const gateways: ChildProcess[] = []
const sandboxes: number[] = []
const folders: string[] = []

afterEach(() => {
  for (const gateway of gateways.splice(0)) gateway.kill('SIGKILL')
  signalAll(sandboxes.splice(0), 'SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

// Without a PATH there is neither setpriv nor sh, so the sandboxes must end by themselves.
async function startGateway(scripts: string[], searched: string) {
  const gateway = spawn(process.execPath, [file, ...scripts], {
    env: { PATH: searched },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  endWithParent(gateway)
  gateways.push(gateway)
  const [chunk] = await once(gateway.stdout, 'data')
  const pids: number[] = JSON.parse(String(chunk))
  sandboxes.push(...pids)
  expect(pids.length).toBeGreaterThan(scripts.length)
  return { gateway, pids }
}

const stuck = [
  'for (;;);',
  "await graphql('hang')",
  "await graphql('x'); 'a'.repeat(2 ** 24).lastIndexOf('a'.repeat(2 ** 23) + 'b')",
  'const holes = []; holes.length = 2 ** 32 - 1; holes.reverse()',
  'for (;;) log("flood".repeat(100))',
  `await graphql('run', { source: "await graphql('begun'); for (;;);" })`,
]

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-'))
  folders.push(folder)
  return folder
}

// One that no process can handle, one that it can, and an uncaught exception, which SIGUSR2 makes it throw.
const unlike = ['SIGKILL', 'SIGTERM', 'SIGUSR2'] as const
const ends = isWhole ? ([...unlike, 'SIGSEGV', 'SIGABRT', 'SIGINT'] as const) : unlike

describe.each([
  ['with the tools of the system', () => path, 1_000],
  // A booting sandbox takes longer to notice on a busy machine.
  ['without any tool of the system', emptyFolder, 6_000],
])('no sandbox outlives its gateway by more than a second, %s', (_, findPath, bootingMs) => {
  test.each(ends)('in any state, when %s ends the gateway', async signal => {
    const { gateway, pids } = await startGateway(stuck, findPath())
    gateway.kill(signal)
    await once(gateway, 'exit')
    expect(await findSurvivors(pids, 1_000)).toEqual([])
  })

  test.each([0, 60, 120])('when it has been booting for %i ms', async ms => {
    const port = String(await findFreePort())
    const folder = emptyFolder()
    const { process: gateway } = spawnCommand([], {
      PORT: port,
      DATABASE_URL: `sqlite:${join(folder, 'rostrum.db')}`,
      PATH: findPath(),
      ROSTRUM_SANDBOXES: '3',
      ROSTRUM_WARM_SANDBOXES: '3',
    })
    gateways.push(gateway)
    let pids: number[] = []
    while (pids.length < 3) {
      await sleep(5)
      pids = findDescendants(gateway.pid ?? 0)
    }
    await sleep(ms)
    pids = findDescendants(gateway.pid ?? 0)
    sandboxes.push(...pids)
    gateway.kill('SIGKILL')
    expect(await findSurvivors(pids, bootingMs)).toEqual([])
  })
})

test('a gateway that was stopped for a while continues with all its sandboxes', async () => {
  const server = await startServer({ ROSTRUM_TASK_TIMEOUT_MS: '1000', ROSTRUM_SANDBOXES: '2' })
  const children = findDescendants(server.pid)
  process.kill(server.pid, 'SIGSTOP')
  const waiting = server.execute('exit(1)')
  await sleep(1_500)
  expect(findDescendants(server.pid)).toEqual(children)
  process.kill(server.pid, 'SIGCONT')
  expect((await waiting).status).toBe(200)
  expect((await server.execute('for (;;);')).body.task_execution.error?.code).toBe('TIMEOUT')
  expect((await server.execute('exit(2)')).body.task_execution.payload).toBe(2)
  expect(await server.stop()).toBe(0)
  expect(await findSurvivors(children, 1_000)).toEqual([])
})

const hasSetpriv = path.split(delimiter).some(folder => existsSync(join(folder, 'setpriv')))

test.skipIf(!hasSetpriv)('not even one that is stopped', async () => {
  const { gateway, pids } = await startGateway(['for (;;);'], path)
  signalAll(pids, 'SIGSTOP')
  gateway.kill('SIGKILL')
  await once(gateway, 'exit')
  expect(await findSurvivors(pids, 1_000)).toEqual([])
})
