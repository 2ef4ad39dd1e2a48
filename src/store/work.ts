import type { RostrumError } from '../errors.ts'
import type { Statement, Values } from './dialect.ts'

/** One statement of a piece of work, with its values. */
interface StatementCall {
  readonly statement: Statement<unknown>
  readonly values: Values
  /** True if the work continues without the answer. */
  readonly isUnread?: boolean
}

/**
 * Statements that depend on each other, written once as a generator. SQLite runs it synchronously in a commit that it
 * shares with other changes; PostgreSQL awaits each statement.
 */
export type Work<T> = Generator<StatementCall, T, readonly unknown[]>

/** The result of work that decides against its change. `Database.change` rejects with its error. */
export class Refusal {
  readonly error: RostrumError

  constructor(error: RostrumError) {
    this.error = error
  }
}

/**
 * Refuses a change. PostgreSQL rolls the transaction back. SQLite undoes nothing, because others share the commit, so
 * the work must refuse there before its first write. A thrown error would make SQLite do the changes of all again.
 */
export function refuse(error: RostrumError): Refusal {
  return new Refusal(error)
}

export function* all<Row>(statement: Statement<Row>, values: Values): Work<readonly Row[]> {
  return (yield { statement, values }) as readonly Row[]
}

/**
 * For a statement whose answer decides nothing. PostgreSQL gets the next statement, or the commit, in the same round
 * trip. If the statement fails, the change fails.
 */
export function* unread(statement: Statement<unknown>, values: Values): Work<void> {
  yield { statement, values, isUnread: true }
}

export function* first<Row>(statement: Statement<Row>, values: Values): Work<Row | undefined> {
  const [row] = (yield { statement, values }) as readonly Row[]
  return row
}

/** For a statement that always returns a row. */
export function* only<Row>(statement: Statement<Row>, values: Values): Work<Row> {
  const [row] = (yield { statement, values }) as readonly Row[]
  if (row === undefined) throw new Error('A statement that always returns a row returned none.')
  return row
}
