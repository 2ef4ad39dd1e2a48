import type { ApiToken } from '../domain/store.ts'
import { formatTable } from './format-table.ts'

const heading = ['ID', 'ACCOUNT', 'USER', 'EMAIL', 'SCOPES', 'CREATED', 'STATE']

/** The tokens as a table of aligned columns, a line each; the tokens themselves are not known any more. */
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
