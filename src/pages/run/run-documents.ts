import { operation } from '../gateway/operation.ts'
import type { Execution, LogEntry } from '../results/execution.ts'

/** A run, as another one refers to it. */
export interface RunLink {
  readonly id: string
  readonly name: string
}

/** What is shown of a run inside another one. */
export interface InnerRun extends RunLink {
  readonly state: 'RUNNING' | 'ENDED' | 'LOST' | 'SUPERSEDED'
  readonly outcome: Uppercase<Execution['outcome']> | null
  readonly startedAt: string
  readonly durationMs: number | null
}

export interface RunCall {
  readonly name: string
  readonly startMs: number
  /** Null if the call was under way when the run ended. */
  readonly durationMs: number | null
  readonly error: string | null
  readonly run: InnerRun | null
}

/** A kept run. */
export interface KeptRun extends InnerRun {
  readonly trigger: string
  readonly event: string | null
  readonly functionVersion: string | null
  readonly caseId: string | null
  readonly caseVersion: number | null
  readonly byUserId: string | null
  readonly txnID: string
  readonly dryRun: boolean
  readonly attempt: number
  readonly payload: unknown
  /** Also false if the run gave no value to `exit`. */
  readonly isPayloadKept: boolean
  readonly message: string | null
  readonly input: unknown
  readonly isInputKept: boolean
  /** Null if they are not kept. */
  readonly options: Readonly<Record<string, unknown>> | null
  /** The script; null if it is not kept, or not for this credential. */
  readonly sourceCode: string | null
  readonly error: Execution['error']
  /** Their levels are in capitals. */
  readonly logs: readonly LogEntry[]
  readonly calls: readonly RunCall[]
  readonly parent: RunLink | null
  readonly replayOf: RunLink | null
  /** Left out without the scope to read functions. */
  readonly function?: {
    readonly id: string
    readonly name: string
    readonly caseTypeCode: string | null
    /** Null if the function was removed. */
    readonly createdAt: string | null
    readonly live: { readonly hash: string }
  } | null
}

export const runToShow = operation<
  { readonly run: KeptRun | null },
  { readonly id: string; readonly withFunction: boolean }
>(
  `query RunToShow($id: ID!, $withFunction: Boolean!) {
    run(id: $id) {
      id name state outcome trigger event functionVersion caseId caseVersion byUserId txnID startedAt durationMs
      dryRun attempt payload isPayloadKept message input isInputKept options sourceCode
      error { code message line column hint }
      logs { at level data }
      calls { name startMs durationMs error run { id name state outcome startedAt durationMs } }
      parent { id name }
      replayOf { id name }
      function @include(if: $withFunction) { id name caseTypeCode createdAt live { hash } }
    }
  }`,
)

/** A run of the same transaction. */
export interface RunOfTransaction extends InnerRun {
  readonly parent: RunLink | null
}

// Runs inside a run share its transaction, which has an index.
export const runsOfTransaction = operation<
  {
    readonly runs: {
      readonly nodes: readonly RunOfTransaction[]
      readonly pageInfo: { readonly hasNextPage: boolean }
    }
  },
  { readonly txnID: string; readonly after: string; readonly before: string | null }
>(
  `query RunsOfTransaction($txnID: String!, $after: DateTime!, $before: DateTime) {
    runs(filter: { txnID: $txnID, startedAfter: $after, startedBefore: $before }, first: 200) {
      nodes { id name state outcome startedAt durationMs parent { id name } }
      pageInfo { hasNextPage }
    }
  }`,
)

export const replayOfRun = operation<
  { readonly replayRun: { readonly id: string } | null },
  { readonly id: string; readonly version: 'ORIGINAL' | 'LIVE'; readonly dryRun: boolean }
>(
  `mutation ReplayRun($id: ID!, $version: ReplayVersion!, $dryRun: Boolean!) {
    replayRun(id: $id, version: $version, dryRun: $dryRun) { id }
  }`,
)
