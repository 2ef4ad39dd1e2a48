import { setTimeout as sleep } from 'node:timers/promises'
import { readEvents } from '../../pages/gateway/read-events.ts'
import { CliError, exitCodes, wrongUse } from '../frame/cli-error.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { chooseGateway, urlHelp, urlOption } from '../gateway/choose-gateway.ts'
import { createGatewayClient, type GatewayClient } from '../gateway/gateway-client.ts'
import { runFields, type ShownRun, showRun, showRunJson } from './show-run.ts'

const outcomes = ['exit', 'fail', 'error']
const defaultLimit = 20
const maxLimit = 1_000
const reconnectMs = 1_000
// Runs that may have come while the stream was broken.
const caughtUp = 100

export const command: Command = {
  usage: '[--follow] [--function [<case type>/]<name>] [--outcome exit|fail|error] [--limit <n>] [--json]',
  help: `Prints kept runs, the oldest first, with their log entries.

  --follow             goes on with the runs that end from now on, until Ctrl-C
  --function <name>    runs of this function alone
  --outcome <outcome>  runs that ended so: exit, fail or error
  --limit <n>          the newest n runs, ${defaultLimit} without, at most ${maxLimit}
  --json               one JSON object a line
${urlHelp}
`,
  options: {
    follow: { type: 'boolean' },
    function: { type: 'string' },
    outcome: { type: 'string' },
    limit: { type: 'string' },
    json: { type: 'boolean' },
    ...urlOption,
  },
  args: [0, 0],
  async run(call) {
    const limit = readLimit(call.text('limit'))
    const outcome = readOutcome(call.text('outcome'))
    const client = createGatewayClient(chooseGateway(call), call.signal)
    const functionId = await findFunction(client, call.text('function'))
    const filter = { ...(outcome && { outcome }), ...(functionId && { functionId }) }
    const show = (run: ShownRun) => (call.isSet('json') ? showRunJson : showRun)(run, call.terminal)
    if (call.isSet('follow')) await follow(call, client, { filter, limit, show })
    else for (const run of await findRuns(client, filter, limit)) show(run)
    return exitCodes.done
  },
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit <= maxLimit) return limit
  throw wrongUse(`\`--limit\` must be a whole number from 0 to ${maxLimit}; it is \`${text}\`.`)
}

function readOutcome(text: string | undefined): string | undefined {
  if (text === undefined || outcomes.includes(text)) return text?.toUpperCase()
  throw wrongUse(`\`--outcome\` must be one of ${outcomes.join(', ')}; it is \`${text}\`.`)
}

async function findFunction({ ask }: GatewayClient, given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined
  const [name = '', code = null] = given.split('/').reverse()
  const caseTypeCode = code === '_' ? null : code
  const query = `query ($name: String!, $caseTypeCode: String) {
    function(name: $name, caseTypeCode: $caseTypeCode, exact: true) { id }
  }`
  const { function: found } = await ask<{ readonly function: { readonly id: string } | null }>(query, {
    name,
    caseTypeCode,
  })
  if (found !== null) return found.id
  throw wrongUse(
    `There is no function \`${given}\`. Name it as \`<case type>/<name>\`, or \`<name>\` without a type.`,
  )
}

type Filter = Readonly<Record<string, string>>

/** Returns the newest ended runs, the oldest first. */
async function findRuns({ ask }: GatewayClient, filter: Filter, limit: number): Promise<ShownRun[]> {
  if (limit === 0) return []
  const query = `query ($filter: RunFilter, $first: Int) {
    runs(filter: $filter, first: $first) { nodes { ${runFields} } }
  }`
  const { runs } = await ask<{ readonly runs: { readonly nodes: readonly ShownRun[] } }>(query, {
    filter,
    first: limit,
  })
  return runs.nodes.filter(({ state }) => state !== 'RUNNING').toReversed()
}

interface Following {
  readonly filter: Filter
  readonly limit: number
  readonly show: (run: ShownRun) => void
}

// The stream begins before the list is read, so that no run is left out; each run is shown once.
async function follow(call: CommandCall, client: GatewayClient, following: Following): Promise<void> {
  const { signal, terminal } = call
  const show = showEachOnce(following.show)
  const round = (limit: number) => followOnce(call, client, { ...following, limit, show })
  // A gateway that cannot be reached at the beginning is an error, later a reason to wait.
  await round(following.limit)
  while (!signal.aborted) {
    terminal.say(`The stream of ${client.url} ended; trying again.`)
    await sleep(reconnectMs, undefined, { signal })
    await round(caughtUp).catch((error: unknown) => {
      if (!(error instanceof CliError) || error.exitCode !== exitCodes.unavailable) throw error
    })
  }
}

// Follows until the stream ends or breaks.
async function followOnce(
  { signal, terminal }: CommandCall,
  client: GatewayClient,
  { filter, limit, show }: Following,
): Promise<void> {
  const stream = await openStream(client, filter)
  for (const run of await findRuns(client, filter, limit)) show(run)
  try {
    for await (const { event, data } of readEvents(stream)) {
      const { data: next, errors } = event === 'next' ? (JSON.parse(data) as StreamResult) : {}
      if (next?.runEnded != null) show(next.runEnded)
      for (const { message } of errors ?? []) terminal.say(message)
    }
  } catch {
    signal.throwIfAborted()
  }
}

function showEachOnce(show: (run: ShownRun) => void): (run: ShownRun) => void {
  const shown = new Set<string>()
  return run => {
    if (shown.has(run.id)) return
    shown.add(run.id)
    // A list that is read again goes back no further.
    const [oldest = ''] = shown
    if (shown.size > 10 * maxLimit) shown.delete(oldest)
    show(run)
  }
}

interface StreamResult {
  readonly data?: { readonly runEnded?: ShownRun | null } | null
  readonly errors?: readonly { readonly message: string }[]
}

async function openStream({ send }: GatewayClient, filter: Filter) {
  const query = `subscription ($filter: RunFilter) { runEnded(filter: $filter) { ${runFields} } }`
  const answer = await send('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables: { filter } }),
  })
  return answer.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>()
}
