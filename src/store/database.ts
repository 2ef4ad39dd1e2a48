import type { Origin } from '../domain/port.ts'
import type { ShareOwner } from '../limits/share-owner.ts'
import { type Changed, queuedRuns } from './change-listeners.ts'
import type { Dialect, Statement, Values } from './dialect.ts'
import { createSteps } from './steps.ts'
import type { Work } from './work.ts'

interface WriteOptions<T> {
  /**
   * False for a result that changed nothing: nothing is committed, and a step may be tried again. True unless given.
   */
  readonly hasChanged?: (result: T) => boolean
}

export interface ChangeOptions<T> extends WriteOptions<T> {
  /** True for work that finds and keeps the step of its origin itself. */
  readonly keepsStep?: boolean
  /** True for a result that queued runs, which wakes the gateways after the commit. False unless given. */
  readonly hasQueued?: (result: T) => boolean
}

/** How a database runs statements. */
export interface Runner {
  read<Row>(statement: Statement<Row>, values: Values): Promise<Row[]>
  /**
   * Runs `work` in one transaction, for the owner of a share or (null) for the gateway itself, and resolves once that
   * is durable. `work` may run again after a failure of the transaction: it does nothing but yield statements.
   */
  write<T>(owner: ShareOwner | null, work: () => Work<T>, options?: WriteOptions<T>): Promise<T>
  /**
   * Like `write`, but on PostgreSQL each statement is a transaction of its own, so that a gateway that hangs holds no
   * lock. Others may change rows between the statements.
   */
  writeEach<T>(owner: ShareOwner | null, work: () => Work<T>, options?: WriteOptions<T>): Promise<T>
}

/** A dialect with its connection. */
export interface Database extends Dialect, Runner {
  /**
   * `write` for a change that has an origin: with an idempotency step the work is done once, and its first result (as
   * JSON keeps it) is given again. Wakes the listeners of the account's events after the commit.
   */
  change<T>(origin: Origin, work: () => Work<T>, options?: ChangeOptions<T>): Promise<T>
}

interface Dependencies {
  readonly dialect: Dialect
  readonly runner: Runner
  /** Wakes the listeners of a change. */
  readonly announce: (changed: Changed) => void
}

export function createDatabase({ dialect, runner, announce }: Dependencies): Database {
  const { doOnce } = createSteps(dialect)
  return {
    ...dialect,
    ...runner,
    async change(origin, work, options = {}) {
      const { hasChanged = () => true, keepsStep = false, hasQueued = () => false } = options
      const doIt = keepsStep ? work : () => doOnce(origin, work, hasChanged)
      const result = await runner.write(origin.accountCode, doIt, options)
      if (hasChanged(result)) announce(origin.accountCode)
      if (hasQueued(result)) announce(queuedRuns)
      return result
    },
  }
}
