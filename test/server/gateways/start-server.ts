import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createGatewayClient, type GatewayClient } from '../clients/gateway-client.ts'
import { findFreePort } from '../processes/free-port.ts'
import { patience } from '../processes/patience.ts'
import { spawnCommand, withoutBanner } from '../processes/spawn-command.ts'
import { makeTempFolder } from '../processes/temp-folder.ts'
import type { Observation } from './observer.ts'

export interface TestServer extends GatewayClient {
  /** The settings it runs under, for other commands on the same store. */
  readonly settings: Readonly<Record<string, string>>
  readonly pid: number
  stdout(): string
  /** Everything on standard error, with the text of the first start. */
  startText(): string
  /** Without that text. */
  stderr(): string
  /** Reads its standard output no longer, until it is resumed. */
  pauseStdout(): void
  resumeStdout(): void
  /** SIGTERM, then the exit code. */
  stop(): Promise<number | null>
  kill(): Promise<void>
}

/** A server with an observer inside its process. */
export interface ObservedServer extends TestServer {
  /** What the observer has seen so far. */
  observe(): Promise<Observation>
}

/** Starts a real gateway with its own SQLite file on a free port and waits until `/ready`; `stop` removes its files. */
export async function startServer(extra: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const { server } = await start(extra)
  return server
}

/** The same for a gateway that may open this number of files. */
export async function startWithFiles(
  maxFiles: number,
  extra: Readonly<Record<string, string>>,
): Promise<TestServer> {
  const { server } = await start(extra, null, maxFiles)
  return server
}

/**
 * The same, with `observer.ts` preloaded: it counts resolver calls and looks at what hostile input may have
 * left.
 */
export async function startObservedServer(
  extra: Readonly<Record<string, string>> = {},
): Promise<ObservedServer> {
  const { server, command } = await start(extra, fileURLToPath(new URL('./observer.ts', import.meta.url)))
  const ask = () =>
    new Promise<Observation>((resolve, reject) => {
      command.process.once('message', message => resolve(message as Observation))
      command.process.send('observe', error => error && reject(error))
    })
  // One after the other: an answer does not say which question it belongs to.
  let last: Promise<unknown> = Promise.resolve()
  const observe = () => {
    const observation = last.then(ask)
    last = observation.catch(() => undefined)
    return observation
  }
  return { ...server, observe }
}

async function start(
  extra: Readonly<Record<string, string>>,
  preload: string | null = null,
  maxFiles: number | null = null,
) {
  const folder = makeTempFolder()
  const port = await findFreePort()
  const adminToken = 'admin-token-of-the-tests'
  const settings = {
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(folder.path, 'rostrum.db')}`,
    ROSTRUM_ADMIN_TOKEN: adminToken,
    ...patience,
    ...extra,
  }
  const command = spawnCommand([], settings, preload, maxFiles)
  const baseUrl = `http://127.0.0.1:${settings.PORT}`
  await waitUntilReady(baseUrl, command).catch(async error => {
    command.process.kill('SIGKILL')
    await command.ended
    folder.remove()
    throw error
  })

  async function end(signal: 'SIGTERM' | 'SIGKILL') {
    command.process.kill(signal)
    // Its streams are at their end only once they are read.
    command.process.once('exit', () => command.process.stdout?.resume())
    const code = await command.ended
    folder.remove()
    return code
  }

  const server: TestServer = {
    ...createGatewayClient({ baseUrl, adminToken, databaseUrl: settings.DATABASE_URL }),
    settings,
    pid: command.process.pid ?? 0,
    stdout: command.stdout,
    startText: command.stderr,
    stderr: () => withoutBanner(command.stderr()),
    pauseStdout: () => void command.process.stdout?.pause(),
    resumeStdout: () => void command.process.stdout?.resume(),
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
  }
  return { server, command }
}

async function waitUntilReady(baseUrl: string, command: ReturnType<typeof spawnCommand>): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    const ready = await fetch(`${baseUrl}/ready`).then(
      answer => answer.status === 200,
      () => false,
    )
    if (ready) return
    if (command.process.exitCode !== null) break
    await sleep(50)
  }
  throw new Error(`The server did not get ready:\n${command.stdout()}\n${command.stderr()}`)
}
