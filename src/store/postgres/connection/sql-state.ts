import pg from 'pg'

/** The SQLSTATE of a failed statement (PostgreSQL, appendix A); null for another failure. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === '23505'
}

/** PostgreSQL refused the values: they are invalid (class 22), or violate a constraint (class 23). */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlStateOf(error) ?? '')
}

/**
 * Two transactions were in each other's way, and this one was undone, or another made the row that this one looked
 * for. The next attempt may succeed, or finds that row.
 */
export function isWorthRetrying(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === '40P01' || state === '40001' || isUniqueViolation(error)
}

/** The connection is lost, or PostgreSQL closes it after the failure. */
export function endsConnection(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === null || /^(08|57P|25P03|25P04)/.test(state)
}
