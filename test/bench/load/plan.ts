import type { TrafficKind } from './traffic.ts'

/** One stretch of load on one server, or on its replicas. */
export interface Plan {
  /** Of one server each; connections are spread over them evenly. */
  readonly ports: readonly number[]
  readonly token: string
  readonly traffic: TrafficKind
  /** The number of the first request of its kind; each has its own data. */
  readonly from: number
  readonly connections: number
  readonly seconds: number
  /** Ends after this number of requests. */
  readonly requests?: number
  /**
   * Requests start at this pace whether or not earlier ones were answered; else each connection sends the next at once.
   */
  readonly perSecond?: number
  /** Disconnects at the end without waiting for open answers. */
  readonly isCutAtEnd?: boolean
}

/** What came of it. A failed answer fails the whole plan, so all of these were good. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** From the planned start of a request to the end of its answer. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** How late a paced request was sent, by the generator's own fault; 0 for loads without a pace. */
  readonly latenessP99Ms: number
  /** Share of one processor that the generator took. */
  readonly generatorShare: number
}

export type LoadReply = { readonly result: LoadResult } | { readonly failure: string }
