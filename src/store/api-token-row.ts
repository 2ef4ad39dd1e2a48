import type { ApiToken } from '../domain/store.ts'

/** Scopes as they are stored: one text, parted by spaces, as in OAuth. */
export function encodeScopes(scopes: readonly string[]): string {
  return scopes.join(' ')
}

/** The stored row as the port gives it. */
export function decodeScopes<Row extends Omit<ApiToken, 'scopes'> & { readonly scopes: string }>(row: Row) {
  return { ...row, scopes: row.scopes === '' ? [] : row.scopes.split(' ') }
}
