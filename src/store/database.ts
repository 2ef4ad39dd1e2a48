import type { Origin } from '../domain/store.ts'
import type { Dialect, Statement, Values } from './dialect.ts'
import type { Work } from './work.ts'

export interface ChangeOptions<T> {
  /** False for a result that changed nothing: nothing is committed, and a step may be tried again. True unless given. */
  readonly hasChanged?: (result: T) => boolean
}

/** A dialect with its connection. */
export interface Database extends Dialect {
  read<Row>(statement: Statement<Row>, values: Values): Promise<readonly Row[]>
  /**
   * Runs `work` in one transaction and resolves once that is durable. `work` may run again after a failure of the transaction:
   * it does nothing but yield statements.
   */
  write<T>(accountCode: string, work: () => Work<T>, options?: ChangeOptions<T>): Promise<T>
  /**
   * `write` for a change that has an origin: with an idempotency step the work is done once and its first result (as JSON
   * keeps it) is given again; listeners of the account's events are woken after the commit.
   */
  change<T>(origin: Origin, work: () => Work<T>, options?: ChangeOptions<T>): Promise<T>
}
