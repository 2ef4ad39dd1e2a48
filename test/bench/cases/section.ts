import type { Claim } from '../figures/claims.ts'
import type { Generator } from '../load/start-generator.ts'
import type { Place } from '../servers/server-process.ts'

/** What a section works with. */
export interface Bench extends Place {
  readonly generator: Generator
  readonly rounds: number
  /** Of one stretch of load. */
  readonly seconds: number
  /** Of load on each server before its first round, at most. */
  readonly warmUpSeconds: number
}

export interface Report {
  readonly tables: readonly string[]
  readonly notes: readonly string[]
  readonly claims: readonly Claim[]
}

/** One part of the bench, by the name that `--only` takes. */
export interface Section {
  readonly title: string
  run(bench: Bench): Promise<Report>
}
