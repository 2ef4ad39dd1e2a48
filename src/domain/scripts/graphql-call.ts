import type { BoundLog } from '../../bound-log.ts'
import type { Run } from './run.ts'

/** A script's `graphql()` call to this gateway, with the rights and the transaction of its run. */
export interface GraphqlCall {
  readonly query: string
  /**
   * Parses the variables. Wait for the call's turn before, because parsing takes time. Throws, with a message for the
   * script, if there are too many.
   */
  readVariables(): Record<string, unknown>
  /**
   * Returns null if the script has read all answers sent to it. Otherwise returns a promise that resolves when it has.
   */
  untilRead(): Promise<void> | null
  readonly run: Run
  /** Called with each run that the call starts, when it has begun. */
  onRunBegun(run: Run): void
  readonly log: BoundLog
}

/** A status and a JSON body, as over HTTP. */
export interface GraphqlCallAnswer {
  readonly status: number
  readonly body: unknown
}

export type ExecuteGraphql = (call: GraphqlCall) => Promise<GraphqlCallAnswer>
