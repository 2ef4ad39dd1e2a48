import type { Terminal } from '../frame/terminal.ts'
import { type GatewayClient, GatewayRefusal } from '../gateway/gateway-client.ts'
import { requireLike } from '../gateway/require-like.ts'
import { formatJson } from '../run/print-outcome.ts'
import { likeRun, runFields, type ShownRun, showRun } from '../runs/show-run.ts'

const mutation = `mutation ($input: SaveCaseInput!) {
  saveCase(input: $input) { patch runs { ${runFields} } }
}`

const runQuery = `query ($id: ID!) { run(id: $id) { ${runFields} } }`

interface Tried {
  readonly saveCase: { readonly patch: unknown; readonly runs: readonly ShownRun[] }
}

/** Saves a case as it is, dry, and prints the runs of its hooks and what they would change. */
export async function tryCase(client: GatewayClient, id: string, terminal: Terminal): Promise<void> {
  const input = { id, data: {}, mode: 'MERGE', dryRun: true }
  const { saveCase } = await client
    .ask<Tried>(mutation, { input }, 'script')
    .catch(async (error: unknown) => {
      await showRefusingRun(client, error, terminal)
      throw error
    })
  const { patch, runs } = requireLike(client.url, saveCase, { runs: [likeRun] })
  for (const run of runs) showRun(run, terminal)
  if (runs.length === 0) terminal.say(`No hook ran for case ${id}.`)
  else terminal.write(`patch ${formatJson(patch, { hasReader: false })}`)
}

// Prints the run of the hook that refused the save. Not every token can read it.
async function showRefusingRun(
  { url, ask }: GatewayClient,
  error: unknown,
  terminal: Terminal,
): Promise<void> {
  const id = error instanceof GatewayRefusal ? error.facts.runId : undefined
  if (id === undefined) return
  const found = await ask<{ run: ShownRun | null }>(runQuery, { id })
    .then(({ run }) => requireLike(url, run, likeRun))
    .catch(() => null)
  if (found !== null) showRun(found, terminal)
}
