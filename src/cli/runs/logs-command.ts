import { exitCodes, wrongUse } from '../frame/cli-error.ts'
import type { Command } from '../frame/command.ts'
import { chooseGateway, describeUrl, urlOption } from '../gateway/choose-gateway.ts'
import { createGatewayClient, type GatewayClient } from '../gateway/gateway-client.ts'
import { requireLike } from '../gateway/require-like.ts'
import { findRuns, maxLimit } from './find-runs.ts'
import { followRuns } from './follow-runs.ts'
import { type ShownRun, showRun, showRunJson } from './show-run.ts'

const outcomes = ['exit', 'fail', 'error']
const defaultLimit = 20

export const command: Command = {
  usage:
    '[--follow] [--function [<case type>/]<name>] [--outcome exit|fail|error] [--limit <n>] [--json]' +
    ' [--url <url>]',
  help: `Prints kept runs, the oldest first, with their log entries.

  --follow             goes on with the runs that end from now on, until Ctrl-C
  --function <name>    runs of this function alone
  --outcome <outcome>  runs that ended so: exit, fail or error
  --limit <n>          the newest n runs, ${defaultLimit} without, at most ${maxLimit}
  --json               one JSON object a line
${describeUrl(19)}
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
    if (call.isSet('follow')) await followRuns(call, client, { filter, limit, show })
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

async function findFunction(
  { url, ask }: GatewayClient,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined) return undefined
  const [name = '', code = null, ...more] = given.split('/').reverse()
  if (more.length > 0)
    throw wrongUse(
      `\`${given}\` names no function. Name it as \`<case type>/<name>\`, or \`<name>\` without a type.`,
    )
  const caseTypeCode = code === '_' ? null : code
  const query = `query ($name: String!, $caseTypeCode: String) {
    function(name: $name, caseTypeCode: $caseTypeCode, exact: true) { id }
  }`
  const { function: found } = await ask<{ readonly function: { readonly id: string } | null }>(query, {
    name,
    caseTypeCode,
  })
  if (found !== null) return requireLike(url, found, { id: '' }).id
  throw wrongUse(
    `There is no function \`${given}\`. Name it as \`<case type>/<name>\`, or \`<name>\` without a type.`,
  )
}
