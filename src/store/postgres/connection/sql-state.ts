import pg from 'pg'

/** Returns the SQLSTATE of a failed statement (PostgreSQL, appendix A); null for other failures. */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === '23505'
}

/** True if PostgreSQL refused the values: they are invalid (class 22) or violate a constraint (class 23). */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlStateOf(error) ?? '')
}

/** True if a statement waited longer for a lock than its `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return sqlStateOf(error) === '55P03'
}

/**
 * True if the statement may succeed when it is repeated: it was undone because of another transaction, it waited too
 * long for a lock, or another transaction has just created the row that it was looking for.
 */
export function isWorthRetrying(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === '40P01' || state === '40001' || isLockTimeout(error) || isUniqueViolation(error)
}

/** True if the connection is lost, or PostgreSQL closes it after this failure. */
export function endsConnection(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === null || /^(08|57P|25P03|25P04)/.test(state)
}
