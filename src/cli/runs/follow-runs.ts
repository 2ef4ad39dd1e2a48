import { readEvents } from '../../pages/gateway/read-events.ts'
import { showControls } from '../../show-controls.ts'
import { pause } from '../../signals/pause.ts'
import { CliError, exitCodes } from '../frame/cli-error.ts'
import type { CommandCall } from '../frame/command.ts'
import { findStream } from '../gateway/execute-script.ts'
import { type GatewayClient, GatewayRefusal, unreachable } from '../gateway/gateway-client.ts'
import { type Filter, findRun, findRuns, listEnded } from './find-runs.ts'
import type { ShownRun } from './show-run.ts'

const reconnectMs = 1_000
const maxReconnectMs = 5_000
// Ids that are remembered, so that no run is shown twice.
const maxShown = 10_000

interface Following {
  readonly filter: Filter
  readonly limit: number
  readonly show: (run: ShownRun) => void
}

/** Shows the newest runs, then each run that ends, once each, until the call ends. */
export async function followRuns(
  { signal, terminal, endWithReader }: CommandCall,
  client: GatewayClient,
  { filter, limit, show }: Following,
): Promise<void> {
  endWithReader()
  // A gateway that cannot be reached at the beginning is an error, later a reason to wait.
  const shown = new Set((await listEnded(client, filter, null)).ids)
  for (const run of await findRuns(client, filter, limit)) {
    shown.add(run.id)
    show(run)
  }
  async function showOnce(id: string): Promise<void> {
    if (shown.has(id)) return
    const run = await findRun(client, id)
    shown.add(id)
    const [oldest = ''] = shown
    if (shown.size > maxShown) shown.delete(oldest)
    if (run !== null) show(run)
  }
  async function showMissed(): Promise<void> {
    const { ids, isAll } = await listEnded(client, filter, shown)
    if (!isAll) terminal.say('More runs have ended than are listed here: older runs are left out.')
    for (const id of ids) await showOnce(id)
  }
  for (let pauseMs = reconnectMs; ; pauseMs = Math.min(2 * pauseMs, maxReconnectMs)) {
    const startedAt = performance.now()
    const reason = await followOnce(client, filter, { showMissed, showOnce }).catch((error: unknown) => {
      if (!(error instanceof CliError) || error.exitCode !== exitCodes.unavailable) throw error
      return error
    })
    signal.throwIfAborted()
    const isRefused = reason instanceof GatewayRefusal && reason.status !== 200
    const said = isRefused
      ? `${showControls(withoutAdvice(reason.message))} Trying`
      : `The stream of ${client.url} ended; trying`
    terminal.say(`${said} again.`)
    if (performance.now() - startedAt > maxReconnectMs) pauseMs = reconnectMs
    await pause(pauseMs, signal)
  }
}

// A refusal may end in the advice to do what this command does by itself.
const withoutAdvice = (message: string) => message.replace(/ Try again (later|in \d+ s)\.$/, '')

// An event has the id alone, because a gateway bounds what an event costs, and the log of a run costs more.
const query = 'subscription ($filter: RunFilter) { runEnded(filter: $filter) { id } }'

interface Showing {
  /** Shows the runs that ended since a run was shown. */
  showMissed(): Promise<void>
  showOnce(id: string): Promise<void>
}

// Follows until the stream ends or breaks. The stream begins before the list is read, so that no run is left out.
async function followOnce(
  client: GatewayClient,
  filter: Filter,
  { showMissed, showOnce }: Showing,
): Promise<void> {
  // Fetch cancels the body of an answer that is collected before its body is read, so the answer is held until then.
  const answer = await client.post('/graphql', { query, variables: { filter } }, 'text/event-stream')
  await showMissed()
  try {
    for await (const { event, data } of readEvents(findStream(answer, client.url))) {
      const { data: next, errors = [] } = event === 'next' ? (JSON.parse(data) as StreamResult) : {}
      for (const { message, extensions } of errors)
        throw new GatewayRefusal({ code: extensions?.code ?? '', status: 200, message })
      if (next?.runEnded != null) await showOnce(next.runEnded.id)
    }
  } catch (error) {
    throw error instanceof CliError ? error : unreachable(client.url, error)
  }
}

interface StreamResult {
  readonly data?: { readonly runEnded?: { readonly id: string } | null } | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}
