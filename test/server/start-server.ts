import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../../src/credentials/caller.ts'
import { findFreePort } from './free-port.ts'
import type { Observation } from './observer.ts'
import { patience } from './patience.ts'
import { type Answer, type RequestParts, sendRequest } from './send-request.ts'
import type { TokenOrder } from './serve-tokens.ts'
import { spawnCommand } from './spawn-command.ts'
import { makeTempFolder } from './temp-folder.ts'
import type { ExecutionBody, GraphqlBody } from './wire-shapes.ts'

export interface TokenRequest {
  readonly account: string
  readonly email?: string
  readonly user?: number
  /** All but `admin` unless given. */
  readonly scopes?: readonly Scope[]
}

export interface Script {
  readonly sourceCode: string
  readonly name?: string
  readonly inputDocument?: unknown
  readonly options?: unknown
  readonly metadata?: unknown
}

type RestOptions = Partial<Pick<RequestParts, 'token' | 'headers' | 'body' | 'signal'>>

export interface TestServer {
  readonly baseUrl: string
  readonly adminToken: string
  /** The settings it runs under, for other commands on the same store. */
  readonly settings: Readonly<Record<string, string>>
  readonly pid: number
  stdout(): string
  stderr(): string
  /** Reads its standard output no longer, until it is resumed. */
  pauseStdout(): void
  resumeStdout(): void
  /** A request to a path, as the admin unless another token (or null, for none) is given. */
  rest<T>(method: string, path: string, options?: RestOptions): Promise<Answer<T>>
  graphql<D = Record<string, unknown>>(
    query: string,
    variables?: Record<string, unknown>,
    token?: string | null,
  ): Promise<Answer<GraphqlBody<D>>>
  execute<P = unknown>(script: Script | string, options?: RestOptions): Promise<Answer<ExecutionBody<P>>>
  /** A new token in this server's store. */
  token(request: TokenRequest): Promise<string>
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
  const { server } = await start(extra, null)
  return server
}

/**
 * The same, with `observer.ts` preloaded: it counts resolver calls and looks at what hostile input may have left
 * behind.
 */
export async function startObservedServer(
  extra: Readonly<Record<string, string>> = {},
): Promise<ObservedServer> {
  const { server, command } = await start(extra, fileURLToPath(new URL('observer.ts', import.meta.url)))
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

async function start(extra: Readonly<Record<string, string>>, preload: string | null) {
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
  const command = spawnCommand([], settings, preload)
  const baseUrl = `http://127.0.0.1:${settings.PORT}`
  await waitUntilReady(baseUrl, command).catch(async error => {
    command.process.kill('SIGKILL')
    await command.ended
    folder.remove()
    throw error
  })

  const rest: TestServer['rest'] = (method, path, options = {}) =>
    sendRequest({ url: baseUrl + path, method, token: adminToken, ...options })

  async function end(signal: 'SIGTERM' | 'SIGKILL') {
    command.process.kill(signal)
    // Its streams are at their end only once they are read.
    command.process.once('exit', () => command.process.stdout?.resume())
    const code = await command.ended
    folder.remove()
    return code
  }

  const server: TestServer = {
    baseUrl,
    adminToken,
    settings,
    pid: command.process.pid ?? 0,
    stdout: command.stdout,
    stderr: command.stderr,
    pauseStdout: () => void command.process.stdout?.pause(),
    resumeStdout: () => void command.process.stdout?.resume(),
    rest,
    graphql: (query, variables = {}, token = adminToken) =>
      rest('POST', '/graphql', { body: { query, variables }, token }),
    execute: (script, options = {}) =>
      rest('POST', '/api/1/endpoint/execute', { body: completeScript(script), ...options }),
    token: request => askForToken({ databaseUrl: settings.DATABASE_URL, request }),
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

function completeScript(script: Script | string): Script {
  const given = typeof script === 'string' ? { sourceCode: script } : script
  return { name: 'test', inputDocument: '{}', options: '{}', ...given }
}

// Vitest is imported here only, because some programs start servers outside of it.
async function askForToken(order: TokenOrder): Promise<string> {
  const { inject } = await import('vitest')
  const answer = await fetch(inject('tokensUrl'), { method: 'POST', body: JSON.stringify(order) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`No token was issued: ${text}`)
  return text
}
