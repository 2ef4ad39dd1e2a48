import { setTimeout as sleep } from 'node:timers/promises'
import { startCanary } from '../../../scripts/pool/start-canary.ts'
import { startObservedServer } from '../../../server/gateways/start-server.ts'
import type { HostAnswer } from '../hosts/host-answer.ts'
import { startRawHost } from '../hosts/raw-host.ts'
import { contents } from './answer-contents.ts'
import { framings } from './answer-framings.ts'
import { statuses } from './answer-statuses.ts'

const timeoutMs = 3_000
const answers = [...statuses, ...framings, ...contents]

/** What a script sees of an answer. */
interface Seen {
  readonly json?: unknown
  readonly message?: string
  readonly polluted: boolean
}

/**
 * A gateway that may call a host that gives any of the answers. The answer's number is the path; `{CANARY_PORT}` in
 * what the host writes is the port of a server that nobody may reach.
 */
export async function startAnswerStage() {
  const canary = await startCanary()
  const host = await startRawHost(({ path }, socket) => {
    const write = socket.write.bind(socket)
    const fill = (text: unknown) =>
      typeof text === 'string' ? text.replaceAll('{CANARY_PORT}', String(canary.port)) : text
    socket.write = ((text: unknown, ...rest: []) =>
      write(fill(text) as string, ...rest)) as typeof socket.write
    answers[Number(path.slice(1))]?.write(socket)
  })
  const server = await startObservedServer({
    ROSTRUM_GRAPHQL_HOSTS: host.host,
    ROSTRUM_TASK_TIMEOUT_MS: String(timeoutMs),
  })
  return {
    canary,
    host,
    server,
    /** Runs a script that gets this answer of the host. */
    async ask(answer: HostAnswer) {
      const { body } = await server.execute<Seen | null>(
        `const url = 'http://${host.host}/${answers.indexOf(answer)}'
         const seen = await graphql('{ x }', { a: 1 }, url).then(json => ({ json }), ({ message }) => ({ message }))
         if (typeof seen.json === 'string' && seen.json.length > 1e6) seen.json = seen.json.length
         exit({ ...seen, polluted: 'polluted' in {} })`,
      )
      return body.task_execution
    },
    /** Resolves to true once the host has no open connection, and to false after a minute. */
    async isClosed(): Promise<boolean> {
      for (let waited = 0; host.open() > 0 && waited < 60_000; waited += 10) await sleep(10)
      return host.open() === 0
    },
    async stop(): Promise<void> {
      await server.stop()
      host.close()
      canary.close()
    },
  }
}

export type AnswerStage = Awaited<ReturnType<typeof startAnswerStage>>
