import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../../server/clients/send-request.ts'
import type { ExecutionBody } from '../../server/clients/wire-shapes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../../server/gateways/start-upstream.ts'

interface HeldRunOptions {
  /** What the script does once it is let go; nothing comes after it. */
  readonly last?: string
  /** What the script does before it gives its token away. */
  readonly first?: string
  readonly credential?: string
  readonly signal?: AbortSignal
}

export interface HeldRun {
  /** The run's own token, and whatever the script put into `extra`. */
  readonly token: string
  readonly extra: unknown
  readonly answer: Promise<Answer<ExecutionBody>>
  release(): void
}

interface RunHolder {
  /** As it goes into the allow-list. */
  readonly host: string
  /** A run that has sent its token and waits for its release. */
  hold(server: TestServer, options?: HeldRunOptions): Promise<HeldRun>
  close(): Promise<void>
}

interface SentToken {
  readonly token: string
  readonly extra: unknown
  release(): void
}

/**
 * A listed host that scripts tell their token, and whose answer they await: what happens meanwhile happens during the
 * run.
 */
async function startRunHolder(): Promise<RunHolder> {
  const waiting = new Map<string, (sent: SentToken) => void>()
  let count = 0
  const upstream = await startUpstream(({ body }, response) => {
    const { token, extra, ticket } = (JSON.parse(body) as { variables: SentToken & { ticket: string } })
      .variables
    waiting.get(ticket)?.({ token, extra, release: () => sendJson(response, { data: null }) })
  })

  return {
    host: upstream.host,
    close: upstream.close,
    async hold(server, { last = 'exit()', first = '', credential = server.adminToken, signal } = {}) {
      count += 1
      const ticket = String(count)
      const sent = Promise.withResolvers<SentToken>()
      waiting.set(ticket, sent.resolve)
      const sourceCode = `let extra = null
        ${first}
        await graphql('{ x }',
          { token: options.authorization.slice(7), ticket: '${ticket}', extra }, '${upstream.url}/')
        ${last}`
      const answer = server.execute(sourceCode, {
        token: credential,
        ...(signal === undefined ? {} : { signal }),
      })
      answer.then(
        ({ text }) => sent.reject(new Error(`The run ended before it sent its token: ${text}`)),
        sent.reject,
      )
      const { token, extra, release } = await sent.promise
      return { token, extra, release, answer }
    },
  }
}

/** A gateway that may call the holder. */
export async function startHeldStage(settings: Readonly<Record<string, string>>) {
  const holder = await startRunHolder()
  const server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: holder.host, ...settings })
  return {
    holder,
    server,
    async stop() {
      await server.stop()
      await holder.close()
    },
  }
}

export type HeldStage = Awaited<ReturnType<typeof startHeldStage>>

/** Whom the gateway takes the bearer for. */
export function view(server: TestServer, token: string) {
  return server.graphql('{ viewer { accountCode userId scopes } }', {}, token)
}

/** Waits for a sandbox where all have been killed, so that the next test's run does not. */
export async function untilReady(server: TestServer): Promise<void> {
  while ((await server.rest('GET', '/ready', { token: null })).status !== 200) await sleep(50)
}
