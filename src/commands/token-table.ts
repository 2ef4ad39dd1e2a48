import type { ApiToken } from '../domain/store.ts'
import { formatTable } from './format-table.ts'

const heading = ['ID', 'ACCOUNT', 'USER', 'EMAIL', 'SCOPES', 'CREATED', 'STATE']

/** Formats tokens as a table. The tokens themselves are not stored, so it shows only their data. */
export function formatTokens(tokens: readonly ApiToken[]): string {
  return formatTable([heading, ...tokens.map(toCells)])
}

function toCells(token: ApiToken): string[] {
  const state = token.revokedAt === null ? 'active' : `revoked ${token.revokedAt.toISOString()}`
  return [
    String(token.id),
    token.accountCode,
    String(token.userId),
    token.email ?? '-',
    token.scopes.join(','),
    token.createdAt.toISOString(),
    state,
  ]
}
