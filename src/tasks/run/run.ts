import type { Caller } from '../../credentials/caller.ts'
import type { Transaction } from '../input/transaction.ts'

/** How far the saves of a run are from the first one: a hook after a save goes one further (contract, section 8). */
export interface Generation {
  /** The generation of the saves that the run makes. */
  readonly number: number
  /** Called when a save was refused because it would go too far. */
  onTooDeep(): void
}

/** One run of a script: its rights and its deadline, which the gateway decides and never the script. */
export interface Run {
  readonly id: string
  readonly name: string
  /** The stored function that it runs; null for a script that came with its request. */
  readonly functionName: string | null
  readonly caller: Caller
  readonly transaction: Transaction
  /** Cases that its transaction is saving. Only the value given to `exit` may change them. */
  readonly savingCases: ReadonlySet<number>
  /** True if it must change nothing. */
  readonly dryRun: boolean
  readonly generation: Generation
  /** 1 for a run that a request started, 2 for a run started by that run, and so on. */
  readonly depth: number
  /** In milliseconds of `performance.now()`. A nested run has its parent's deadline. */
  readonly deadline: number
  /** Aborted when the run ends. Its calls and nested runs end with it. */
  readonly signal: AbortSignal
}
