import type { GatewayClient, Script } from './gateway-client.ts'
import { readEventStream } from './read-event-stream.ts'
import type { ExecutionBody } from './wire-shapes.ts'

/** What an event of a run holds. */
export interface RunEvent {
  readonly event: string
  readonly data: Record<string, unknown>
}

export interface FollowedRun {
  readonly status: number
  readonly headers: Headers
  readonly events: AsyncGenerator<RunEvent>
  /** Disconnects. */
  cut(): void
}

interface Follow {
  readonly path?: string
  readonly body?: unknown
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Runs a script and follows its events. Resolves when the stream has begun, or was refused. */
export async function followRun(
  server: Pick<GatewayClient, 'baseUrl' | 'adminToken'>,
  script: Script | string,
  { path = '/api/1/endpoint/execute', body, token = server.adminToken, headers = {} }: Follow = {},
): Promise<FollowedRun> {
  const leaving = new AbortController()
  const given = typeof script === 'string' ? { sourceCode: script } : script
  const response = await fetch(server.baseUrl + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body ?? { name: 'test', inputDocument: '{}', options: '{}', ...given }),
    signal: leaving.signal,
  })
  async function* read(): AsyncGenerator<RunEvent> {
    if (response.body === null) return
    for await (const { event, data } of readEventStream(response.body))
      yield { event, data: JSON.parse(data) }
  }
  return { status: response.status, headers: response.headers, events: read(), cut: () => leaving.abort() }
}

/** Reads the events of a run to the end. */
export async function readRun(run: FollowedRun) {
  const events = await Array.fromAsync(run.events)
  const last = events.at(-1)
  const logs = events.filter(({ event }) => event === 'log').map(({ data }) => data)
  const calls = events.filter(({ event }) => event === 'call').map(({ data }) => data)
  if (last?.event !== 'end') throw new Error(`The stream ends with ${JSON.stringify(last)}.`)
  return { events, logs, calls, execution: (last.data as unknown as ExecutionBody).task_execution }
}
