import { DrizzleQueryError } from 'drizzle-orm'
import postgres from 'postgres'

/** The SQLSTATE of a failed statement (PostgreSQL, appendix A); null where the failure was another. */
export function sqlStateOf(error: unknown): string | null {
  const inner = error instanceof DrizzleQueryError ? error.cause : error
  return inner instanceof postgres.PostgresError ? inner.code : null
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === '23505'
}

/** Two transactions were in each other's way, and this one was the one to go: done again, it may well succeed. */
export function isTransient(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === '40P01' || state === '40001'
}
