import { DrizzleQueryError } from 'drizzle-orm'
import pg from 'pg'

/** The SQLSTATE of a failed statement (PostgreSQL, appendix A); null where the failure was another. */
export function sqlStateOf(error: unknown): string | null {
  const inner = error instanceof DrizzleQueryError ? error.cause : error
  return inner instanceof pg.DatabaseError ? (inner.code ?? null) : null
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === '23505'
}

/** The values were refused: as ones that cannot be (class 22), or that stand against what is there (class 23). */
export function isOfData(error: unknown): boolean {
  return /^2[23]/.test(sqlStateOf(error) ?? '')
}

/** Two transactions were in each other's way, and this one was the one to go: done again, it may well succeed. */
export function isTransient(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === '40P01' || state === '40001'
}

/** The connection is lost, or PostgreSQL closes it behind the failure. */
export function endsConnection(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === null || /^(08|57P|25P03|25P04)/.test(state)
}
