import { type GatewayClient, GatewayRefusal } from '../gateway/gateway-client.ts'
import { requireLike } from '../gateway/require-like.ts'
import { likeRun, runFields, type ShownRun } from './show-run.ts'

/** The maximum number of runs that a gateway lists at once. */
export const maxLimit = 1_000

export type Filter = Readonly<Record<string, string>>

interface Page<Node> {
  /** Null from another server alone. */
  readonly runs: Runs<Node> | null
}

interface Runs<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

const pageOf = (node: object) => ({ nodes: [node], pageInfo: { hasNextPage: false } })

const toQuery = (fields: string) => `query ($filter: RunFilter, $first: Int, $after: String) {
  runs(filter: $filter, first: $first, after: $after) {
    nodes { ${fields} }
    pageInfo { hasNextPage endCursor }
  }
}`

/** Returns the newest `limit` runs that have ended, the oldest first. */
export async function findRuns(
  { url, ask }: GatewayClient,
  filter: Filter,
  limit: number,
): Promise<ShownRun[]> {
  const query = toQuery(runFields)
  const found: ShownRun[] = []
  let after: string | null = null
  let pageSize = limit
  while (found.length < limit) {
    const first = Math.min(pageSize, limit - found.length)
    const page: Page<ShownRun> | null = await ask<Page<ShownRun>>(query, { filter, first, after }).catch(
      (error: unknown) => {
        // The logs of these runs are more than one answer can have.
        if (first > 1 && error instanceof GatewayRefusal && error.facts.bound !== undefined) return null
        throw error
      },
    )
    if (page === null) {
      pageSize = Math.ceil(first / 2)
      continue
    }
    const { nodes, pageInfo }: Runs<ShownRun> = requireLike(url, page.runs, pageOf(likeRun))
    found.push(...nodes.filter(({ state }) => state !== 'RUNNING'))
    if (!pageInfo.hasNextPage) break
    after = pageInfo.endCursor
  }
  return found.toReversed()
}

// Pages that are read to find a run that was shown. The ids of as many runs are remembered.
const maxPages = 10

/** The ids of ended runs, the oldest first. */
export interface EndedRuns {
  readonly ids: readonly string[]
  /** False if there may be older ones that were not shown. */
  readonly isAll: boolean
}

/** Lists the newest ended runs, back to one that was shown; with null, a page of them. */
export async function listEnded(
  { url, ask }: GatewayClient,
  filter: Filter,
  shown: ReadonlySet<string> | null,
): Promise<EndedRuns> {
  const query = toQuery('id state')
  const ids: string[] = []
  let after: string | null = null
  for (let pages = 0; pages < maxPages; pages++) {
    const page: Page<Pick<ShownRun, 'id' | 'state'>> = await ask(query, { filter, first: maxLimit, after })
    const runs = requireLike(url, page.runs, pageOf({ id: '', state: '' }))
    ids.push(...runs.nodes.filter(({ state }) => state !== 'RUNNING').map(({ id }) => id))
    const isAll = !runs.pageInfo.hasNextPage || ids.some(id => shown?.has(id))
    if (isAll || shown === null) return { ids: ids.toReversed(), isAll }
    after = runs.pageInfo.endCursor
  }
  return { ids: ids.toReversed(), isAll: false }
}

/** Returns an ended run; null if it is not kept any more. */
export async function findRun({ url, ask }: GatewayClient, id: string): Promise<ShownRun | null> {
  const query = `query ($id: ID!) { run(id: $id) { ${runFields} } }`
  const { run } = await ask<{ readonly run: ShownRun | null }>(query, { id })
  return run === null ? null : requireLike(url, run, likeRun)
}
