import { operation } from '../gateway/operation.ts'
import type { PageInfo } from '../gateway/page-info.ts'

export type Outcome = 'EXIT' | 'FAIL' | 'ERROR'

/** A row of the table of runs. */
export interface RunRow {
  readonly id: string
  readonly name: string
  readonly state: 'RUNNING' | 'ENDED' | 'LOST' | 'SUPERSEDED'
  readonly outcome: Outcome | null
  readonly error: { readonly code: string } | null
  readonly trigger: string
  readonly event: string | null
  readonly caseId: string | null
  readonly startedAt: string
  readonly durationMs: number | null
}

/** What the table and the charts are narrowed to. */
export interface RunFilter {
  readonly outcome?: string
  readonly functionId?: string
  readonly trigger?: string
  readonly text?: string
  readonly startedBefore?: string
}

/** A row, and where the ones after it begin. */
export interface ListedRun extends RunRow {
  readonly cursor: string
}

export interface RunPage {
  readonly nodes: readonly ListedRun[]
  readonly pageInfo: PageInfo
}

export const listRuns = operation<
  {
    runs: {
      readonly edges: readonly { readonly cursor: string; readonly node: RunRow }[]
      readonly pageInfo: PageInfo
    }
  },
  { filter: RunFilter; first: number; after: string | null }
>(
  `query ListRuns($filter: RunFilter, $first: Int, $after: String) {
    runs(filter: $filter, first: $first, after: $after) {
      edges { cursor node { id name state outcome error { code } trigger event caseId startedAt durationMs } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
)

/** A page of ids of runs. */
export interface IdPage {
  readonly nodes: readonly { readonly id: string }[]
  readonly pageInfo: PageInfo
}

export const listNewestIds = operation<{ runs: IdPage }, { filter: RunFilter; after: string | null }>(
  `query ListNewestRunIds($filter: RunFilter, $after: String) {
    runs(filter: $filter, first: 200, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
  }`,
)

/** Reads the newest run of the account and one that has not ended. Unlike a search, it looks through no other runs. */
export const readNewest = operation<{
  readonly newest: { readonly nodes: readonly { readonly id: string }[] }
  readonly running: { readonly nodes: readonly { readonly id: string }[] }
}>(
  `query ReadNewestRun {
    newest: runs(first: 1) { nodes { id } }
    running: runs(filter: { state: RUNNING }, first: 1) { nodes { id } }
  }`,
)

export interface FunctionName {
  readonly id: string
  readonly name: string
  readonly caseTypeCode: string | null
}

export const listFunctionNames = operation<{ functions: { readonly nodes: readonly FunctionName[] } }>(
  `query ListFunctionNames { functions(first: 1000) { nodes { id name caseTypeCode } } }`,
)

/** Figures of the last hour. */
export interface Stats {
  readonly minutes: readonly { readonly at: string; readonly runs: number }[]
  readonly outcomes: readonly { readonly outcome: Outcome; readonly runs: number }[]
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly counted: number
  readonly isComplete: boolean
}

export const readStats = operation<{ runStats: Stats }, { filter: RunFilter }>(
  `query ReadRunStats($filter: RunFilter) {
    runStats(filter: $filter) {
      minutes { at runs } outcomes { outcome runs } p50Ms p95Ms p99Ms counted isComplete
    }
  }`,
)

/** A queued run that is not tried again by itself. */
export interface DeadRun {
  readonly id: string
  readonly attempt: number
  readonly trigger: string
  readonly caseId: string | null
  readonly lastError: { readonly code: string; readonly message: string } | null
  readonly runs: readonly { readonly id: string; readonly name: string; readonly startedAt: string }[]
}

export const listDeadRuns = operation<
  {
    queuedRuns: {
      readonly totalCount: number
      readonly nodes: readonly DeadRun[]
      readonly pageInfo: PageInfo
    }
  },
  { first: number; after: string | null }
>(
  `query ListDeadRuns($first: Int, $after: String) {
    queuedRuns(state: DEAD, first: $first, after: $after) {
      totalCount
      nodes { id attempt trigger caseId lastError { code message } runs { id name startedAt } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
)

export const retryDeadRun = operation<{ retryQueuedRun: { readonly id: string } }, { id: string }>(
  `mutation RetryDeadRun($id: ID!) { retryQueuedRun(id: $id) { id } }`,
)

export const retryDeadRuns = operation<{ retryQueuedRuns: number }, { first: number }>(
  `mutation RetryDeadRuns($first: Int!) { retryQueuedRuns(first: $first) }`,
)

export const dropDeadRun = operation<{ cancelQueuedRun: { readonly id: string } }, { id: string }>(
  `mutation DropDeadRun($id: ID!) { cancelQueuedRun(id: $id) { id } }`,
)
