import type { GatewayClient } from '../gateway/gateway-client.ts'
import { runFields, type ShownRun } from './show-run.ts'

/** The maximum number of runs that a gateway lists at once. */
export const maxLimit = 1_000

export type Filter = Readonly<Record<string, string>>

interface RunPage {
  readonly runs: {
    readonly nodes: readonly ShownRun[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

/** Returns the newest `limit` runs that have ended, the oldest first. */
export async function findRuns({ ask }: GatewayClient, filter: Filter, limit: number): Promise<ShownRun[]> {
  const query = `query ($filter: RunFilter, $first: Int, $after: String) {
    runs(filter: $filter, first: $first, after: $after) {
      nodes { ${runFields} }
      pageInfo { hasNextPage endCursor }
    }
  }`
  const found: ShownRun[] = []
  let after: string | null = null
  while (found.length < limit) {
    const page: RunPage = await ask<RunPage>(query, { filter, first: limit - found.length, after })
    const { nodes, pageInfo } = page.runs
    found.push(...nodes.filter(({ state }) => state !== 'RUNNING'))
    if (!pageInfo.hasNextPage) break
    after = pageInfo.endCursor
  }
  return found.toReversed()
}

/** Returns the ids of the newest ended runs, the oldest first. */
export async function listEnded({ ask }: GatewayClient, filter: Filter): Promise<readonly string[]> {
  const query = `query ($filter: RunFilter) {
    runs(filter: $filter, first: ${maxLimit}) { nodes { id state } }
  }`
  const { runs } = await ask<{
    readonly runs: { readonly nodes: readonly Pick<ShownRun, 'id' | 'state'>[] }
  }>(query, { filter })
  return runs.nodes
    .filter(({ state }) => state !== 'RUNNING')
    .map(({ id }) => id)
    .toReversed()
}

/** Returns an ended run; null if it is not kept any more. */
export async function findRun({ ask }: GatewayClient, id: string): Promise<ShownRun | null> {
  const query = `query ($id: ID!) { run(id: $id) { ${runFields} } }`
  return (await ask<{ readonly run: ShownRun | null }>(query, { id })).run
}
