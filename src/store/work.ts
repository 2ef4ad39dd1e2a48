import type { Statement, Values } from './dialect.ts'

/** One statement of a piece of work. */
export interface Step {
  readonly statement: Statement<unknown>
  readonly values: Values
}

/**
 * Statements that depend on each other, written once as a generator. SQLite runs it synchronously in a commit that it
 * shares with other changes; PostgreSQL awaits each statement.
 */
export type Work<T> = Generator<Step, T, readonly unknown[]>

export function* all<Row>(statement: Statement<Row>, values: Values): Work<readonly Row[]> {
  return (yield { statement, values }) as readonly Row[]
}

export function* first<Row>(statement: Statement<Row>, values: Values): Work<Row | undefined> {
  const [row] = (yield { statement, values }) as readonly Row[]
  return row
}

/** For a statement that always returns a row. */
export function* only<Row>(statement: Statement<Row>, values: Values): Work<Row> {
  const [row] = (yield { statement, values }) as readonly Row[]
  if (row === undefined) throw new Error('A statement that always gives a row gave none.')
  return row
}
