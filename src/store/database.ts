import type { PlainOrigin } from '../domain/port.ts'
import type { ShareOwner } from '../fairness/share-owner.ts'
import { type Changed, queuedRuns } from './change-listeners.ts'
import type { Dialect, Statement, Values } from './dialect.ts'
import { createSteps } from './steps.ts'
import { Refusal, type Work } from './work.ts'

interface WriteOptions<T> {
  /** False for a result that changed nothing: nothing is committed, and a step may be tried again. True by default. */
  readonly hasChanged?: (result: T) => boolean
}

interface EachOptions<T> extends WriteOptions<T> {
  /**
   * True for changes that may wait for each other at a row. On PostgreSQL an account makes some of them at once, so
   * that others of its calls get a connection. False by default.
   */
  readonly usesAccountSlot?: boolean
}

interface ChangeOptions<T> extends WriteOptions<T> {
  /** True for work that finds and stores the step of its origin itself. */
  readonly keepsStep?: boolean
  /** True for a result that queued runs, which wakes the gateways after the commit. False by default. */
  readonly hasQueued?: (result: T) => boolean
}

/** Changes of one account that may share a transaction. */
export interface ChangesTogether<Change, Result> {
  /** Makes these changes. A result is null for a change that was not made. A `Refusal` undoes all of them. */
  readonly work: (
    accountCode: string,
    changes: readonly Change[],
  ) => Work<readonly (Result | null)[] | Refusal>
  /** True if `work` yields one statement alone, which is then its own transaction. */
  readonly isOneStatement: (changes: readonly Change[]) => boolean
  /** True for a change that queues runs, which wakes the gateways after the commit. */
  readonly hasQueued: (change: Change) => boolean
  /** Returns what a change changes. Two changes of the same do not share a transaction. */
  readonly keyOf: (change: Change) => unknown
  /** Returns the bytes that a change sends. */
  readonly measure: (change: Change) => number
}

/** Makes a change, together with others of the account. Null if it was not made, and nothing was written for it. */
export type ChangeTogether<Change, Result> = (accountCode: string, change: Change) => Promise<Result | null>

/** How a database runs statements. */
export interface Runner {
  read<Row>(statement: Statement<Row>, values: Values): Promise<Row[]>
  /**
   * Runs `work` in one transaction, for the owner of a share or (null) for the gateway itself, and resolves once the
   * transaction is durable. `work` may run again after a failure of the transaction: it must only yield statements.
   */
  write<T>(owner: ShareOwner | null, work: () => Work<T>, options?: WriteOptions<T>): Promise<T>
  /**
   * Like `write`, but on PostgreSQL each statement is a transaction of its own, so that a gateway that hangs holds no
   * lock. Others may change rows between the statements.
   */
  writeEach<T>(owner: ShareOwner | null, work: () => Work<T>, options?: EachOptions<T>): Promise<T>
  /** Returns a function that makes a change. Changes of an account that come together share statements. */
  readonly together: <Change, Result>(
    changes: ChangesTogether<Change, Result>,
  ) => ChangeTogether<Change, Result>
}

/** A dialect with its connection. */
export interface Database extends Dialect, Runner {
  /**
   * Like `write`, for a change that has an origin. With an idempotency step, the work is done once, and a repeated
   * request gets its first result, as JSON preserves it. Wakes the listeners of the account's events after the commit.
   * Rejects with the error of a `Refusal`, which stores and announces nothing.
   */
  change<T>(origin: PlainOrigin, work: () => Work<T | Refusal>, options?: ChangeOptions<T>): Promise<T>
  /** Returns the durable result of an earlier attempt at the step of this origin; undefined if there is none. */
  findStep<T>(origin: PlainOrigin): Promise<T | undefined>
}

interface Dependencies {
  readonly dialect: Dialect
  readonly runner: Runner
  /** Wakes the listeners of a change. */
  readonly announce: (changed: Changed) => void
}

export function createDatabase({ dialect, runner, announce }: Dependencies): Database {
  const { doOnce, find } = createSteps(dialect)
  const { together } = runner

  function announceEach<Change, Result>(
    makeChange: ChangeTogether<Change, Result>,
    hasQueued: (change: Change) => boolean,
  ): ChangeTogether<Change, Result> {
    return async (accountCode, change) => {
      const result = await makeChange(accountCode, change)
      if (result === null) return null
      announce(accountCode)
      if (hasQueued(change)) announce(queuedRuns)
      return result
    }
  }

  return {
    ...dialect,
    ...runner,
    async change<T>(origin: PlainOrigin, work: () => Work<T | Refusal>, options: ChangeOptions<T> = {}) {
      const { keepsStep = false, hasQueued = () => false } = options
      const hasChanged = (result: T | Refusal) =>
        !(result instanceof Refusal) && (options.hasChanged?.(result) ?? true)
      const doIt = keepsStep ? work : () => doOnce(origin, work, hasChanged)
      const result = await runner.write(origin.accountCode, doIt, { hasChanged })
      if (result instanceof Refusal) throw result.error
      if (hasChanged(result)) announce(origin.accountCode)
      if (hasQueued(result)) announce(queuedRuns)
      return result
    },
    findStep: async <T>(origin: PlainOrigin) =>
      origin.step === null
        ? undefined
        : runner.writeEach(origin.accountCode, () => find<T>(origin), { hasChanged: () => false }),
    together: changes => announceEach(together(changes), changes.hasQueued),
  }
}

/** Called with the time of each read and each change, in milliseconds, with its wait for a connection. */
export type ObserveStore = (operation: 'read' | 'write', milliseconds: number) => void

/** Runs a call of the store, at once, and reports how long it takes. */
export type TimeCall = <T>(operation: 'read' | 'write', call: () => Promise<T>) => Promise<T>

/** Returns the function through which a store sends each call of its database, so that none is left out. */
export function createTimeCall(observe: ObserveStore | undefined): TimeCall {
  if (observe === undefined) return (_operation, call) => call()
  return async (operation, call) => {
    const startedAt = performance.now()
    try {
      return await call()
    } finally {
      observe(operation, performance.now() - startedAt)
    }
  }
}
