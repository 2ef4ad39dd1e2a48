import { isExpired } from '../domain/directory/api-token.ts'
import type { ApiToken } from '../domain/directory/token-store.ts'
import { formatTable } from './format-table.ts'

const heading = [
  ...['ID', 'ACCOUNT', 'USER', 'EMAIL', 'LABEL', 'SCOPES'],
  ...['CREATED', 'EXPIRES', 'LAST USED', 'STATE'],
]

/** Formats data about tokens as a table. The tokens themselves are not stored, so it cannot show them. */
export function formatTokens(tokens: readonly ApiToken[]): string {
  return formatTable([heading, ...tokens.map(toCells)])
}

function toCells(token: ApiToken): string[] {
  return [
    String(token.id),
    token.accountCode,
    String(token.userId),
    token.email ?? '-',
    token.label ?? '-',
    token.scopes.join(','),
    formatTime(token.createdAt),
    token.expiresAt === null ? '-' : formatTime(token.expiresAt),
    token.lastUsedOn ?? '-',
    describeState(token),
  ]
}

function describeState(token: ApiToken): string {
  if (token.revokedAt !== null) return `revoked ${formatTime(token.revokedAt)}`
  return isExpired(token) ? 'expired' : 'active'
}

function formatTime(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}
