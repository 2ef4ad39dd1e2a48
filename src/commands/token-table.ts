import type { ApiToken } from '../domain/store.ts'

const heading = ['ID', 'ACCOUNT', 'USER', 'EMAIL', 'SCOPES', 'CREATED', 'STATE']

/** The tokens as a table of aligned columns, a line each; the tokens themselves are not known any more. */
export function formatTokens(tokens: readonly ApiToken[]): string {
  const rows = [heading, ...tokens.map(toCells)]
  const widths = heading.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const lines = rows.map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return lines.map(line => `${line.trimEnd()}\n`).join('')
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
