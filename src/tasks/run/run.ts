import type { Caller } from '../../credentials/caller.ts'
import type { Transaction } from '../input/transaction.ts'

/** One script on its way: what it may do and how long, decided by the gateway and never by the script. */
export interface Run {
  readonly id: string
  readonly name: string
  readonly caller: Caller
  readonly transaction: Transaction
  /** 1 for a run that a request caused, 2 for one that such a run caused, and so on. */
  readonly depth: number
  /** On the clock of `performance.now()`, in milliseconds. A nested run shares its parent's. */
  readonly deadline: number
  /** Aborted when the run has ended, whatever ended it; calls and nested runs of it end with it. */
  readonly signal: AbortSignal
}
