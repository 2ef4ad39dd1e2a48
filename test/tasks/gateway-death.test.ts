import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { findSurvivors } from '../server/child-processes.ts'

const file = fileURLToPath(new URL('gateway-like.ts', import.meta.url))
const path = process.env.PATH ?? ''
const gateways: ChildProcess[] = []
const sandboxes: number[] = []
const folders: string[] = []

afterEach(() => {
  for (const gateway of gateways.splice(0)) gateway.kill('SIGKILL')
  for (const pid of sandboxes.splice(0)) killIfThere(pid)
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

// Without a path there is neither setpriv nor sh: the sandboxes have only themselves to end.
async function startGateway(scripts: string[], searched: string) {
  const gateway = spawn(process.execPath, [file, ...scripts], {
    env: { PATH: searched },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  gateways.push(gateway)
  const [chunk] = await once(gateway.stdout, 'data')
  const pids: number[] = JSON.parse(String(chunk))
  sandboxes.push(...pids)
  expect(pids).toHaveLength(scripts.length + 1)
  return { gateway, pids }
}

const stuck = [
  'for (;;);',
  "await graphql('x'); 'a'.repeat(2 ** 24).lastIndexOf('a'.repeat(2 ** 23) + 'b')",
  'const holes = []; holes.length = 2 ** 32 - 1; holes.reverse()',
]

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone, as it should be.
  }
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rostrum-'))
  folders.push(folder)
  return folder
}

describe.each([
  ['with the tools of the system', () => path],
  ['without any tool of the system', emptyFolder],
])('no sandbox outlives its gateway by a second, %s', (_, findPath) => {
  test.each(['SIGKILL', 'SIGSEGV'] as const)('whatever it does, when %s ends the gateway', async signal => {
    const { gateway, pids } = await startGateway(stuck, findPath())
    gateway.kill(signal)
    await once(gateway, 'exit')
    expect(await findSurvivors(pids, 1_000)).toEqual([])
  })
})

const hasSetpriv = path.split(delimiter).some(folder => existsSync(join(folder, 'setpriv')))

test.skipIf(!hasSetpriv)('not even one that is stopped', async () => {
  const { gateway, pids } = await startGateway(['for (;;);'], path)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  gateway.kill('SIGKILL')
  await once(gateway, 'exit')
  expect(await findSurvivors(pids, 1_000)).toEqual([])
})
