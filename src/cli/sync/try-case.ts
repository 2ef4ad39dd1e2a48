import type { Terminal } from '../frame/terminal.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { requireLike } from '../gateway/require-like.ts'
import { formatJson } from '../run/print-outcome.ts'
import { likeRun, runFields, type ShownRun, showRun } from '../runs/show-run.ts'

const mutation = `mutation ($input: SaveCaseInput!) {
  saveCase(input: $input) { patch runs { ${runFields} } }
}`

interface Tried {
  readonly saveCase: { readonly patch: unknown; readonly runs: readonly ShownRun[] }
}

/** Saves a case as it is, dry, and prints the runs of its hooks and what they would change. */
export async function tryCase({ url, ask }: GatewayClient, id: string, terminal: Terminal): Promise<void> {
  const input = { id, data: {}, mode: 'MERGE', dryRun: true }
  const { saveCase } = await ask<Tried>(mutation, { input }, 'script')
  const { patch, runs } = requireLike(url, saveCase, { runs: [likeRun] })
  for (const run of runs) showRun(run, terminal)
  if (runs.length === 0) terminal.say(`No hook ran for case ${id}.`)
  else terminal.write(`patch ${formatJson(patch, { hasReader: false })}`)
}
