import type { Terminal } from '../frame/terminal.ts'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { formatJson } from '../run/print-outcome.ts'
import { runFields, type ShownRun, showRun } from '../runs/show-run.ts'

const mutation = `mutation ($input: SaveCaseInput!) {
  saveCase(input: $input) { patch runs { ${runFields} } }
}`

interface Tried {
  readonly saveCase: { readonly patch: unknown; readonly runs: readonly ShownRun[] }
}

/** Saves a case as it is, dry, and prints the runs of its hooks and what they would change. */
export async function tryCase({ ask }: GatewayClient, id: string, terminal: Terminal): Promise<void> {
  const input = { id, data: {}, mode: 'MERGE', dryRun: true }
  const { saveCase } = await ask<Tried>(mutation, { input })
  for (const run of saveCase.runs) showRun(run, terminal)
  if (saveCase.runs.length === 0) terminal.say(`No hook ran for case ${id}.`)
  else terminal.write(`patch ${formatJson(saveCase.patch, { hasReader: false })}`)
}
