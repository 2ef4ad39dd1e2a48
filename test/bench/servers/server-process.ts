import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, copyFileSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endWithParent } from '../../server/processes/end-with-parent.ts'
import { findFreePort } from '../../server/processes/free-port.ts'
import type { Seed } from './seed.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const readyWithinMs = 20_000

/** A contender that listens. */
export interface ServerProcess {
  readonly name: string
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export interface Place {
  readonly folder: string
  readonly seed: Seed
}

export interface PeerParts extends Place {
  readonly name: string
  /** A module in `contenders/`. */
  readonly module: string
  readonly nodeFlags?: readonly string[]
  /** Another database than its own copy of the data. */
  readonly database?: string
}

/** Starts a peer on its own copy of the data and waits until it listens. */
export async function startPeer(parts: PeerParts): Promise<ServerProcess> {
  const { name, module, nodeFlags = [], database = databaseFor(parts) } = parts
  const path = fileURLToPath(new URL(`../contenders/${module}`, import.meta.url))
  const child = spawn(process.execPath, [...nodeFlags, path], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', BENCH_DATABASE: database },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  endWithParent(child)
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', message => resolve((message as { port: number }).port))
    child.once('exit', code => reject(new Error(`${name} ended (${code}) before it listened.`)))
  })
  return toServer({ name, port, child })
}

export interface RostrumParts extends Place {
  readonly name: string
  readonly settings?: Readonly<Record<string, string>>
  /** A file to serve as it is, in place of a copy of the data. */
  readonly database?: string
}

/** Starts the gateway with its defaults on its own copy of the data and waits for `/ready`. Its log goes to a file. */
export async function startRostrum(parts: RostrumParts): Promise<ServerProcess> {
  const { name, settings = {}, folder, database = databaseFor(parts) } = parts
  const port = await findFreePort()
  const logPath = join(folder, `${name}.log`)
  const log = openSync(logPath, 'a')
  const child = spawn(process.execPath, ['src/start.mjs'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATABASE_URL: `sqlite:${database}`,
      ...settings,
    },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  endWithParent(child)
  await waitUntilReady({ name, port, child }).catch(error => {
    child.kill('SIGKILL')
    throw new Error(`${error.message} Its log ends with:\n${readFileSync(logPath, 'utf8').slice(-2_000)}`)
  })
  return toServer({ name, port, child })
}

/** Resolves as soon as `/ready` answers 200; looks every few milliseconds. */
async function waitUntilReady({ name, port, child }: Running): Promise<void> {
  const deadline = performance.now() + readyWithinMs
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    if (child.exitCode !== null) throw new Error(`${name} ended (${child.exitCode}) before it was ready.`)
    if (performance.now() > deadline) throw new Error(`${name} was not ready within ${readyWithinMs} ms.`)
    await sleep(5)
  }
}

function databaseFor({ name, folder, seed }: Place & { readonly name: string }): string {
  const path = join(folder, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.db`)
  // The log of a server that was killed would change the copy.
  for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true })
  copyFileSync(seed.path, path)
  return path
}

interface Running {
  readonly name: string
  readonly port: number
  readonly child: ChildProcess
}

function toServer({ name, port, child }: Running): ServerProcess {
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return {
    name,
    port,
    pid: child.pid ?? 0,
    async stop() {
      const timer = setTimeout(() => child.kill('SIGKILL'), 12_000)
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await ended
      }
      clearTimeout(timer)
    },
  }
}
