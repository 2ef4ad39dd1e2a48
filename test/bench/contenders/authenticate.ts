import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'

export interface Caller {
  readonly accountCode: string
  readonly userId: number
  readonly scopes: ReadonlySet<string>
}

/** From the header to who asks; null where the credential is not good. */
export type Authenticate = (header: string | undefined) => Caller | null

/**
 * What a good hand-written server does: hash the token with SHA-256, look the hash up in a map that is filled from the
 * database. It never hears of a revoked token, which makes it a little cheaper than a server must be.
 */
export function createAuthenticate(client: Database): Authenticate {
  const find = client.prepare<[string], { account_code: string; user_id: number; scopes: string }>(
    'SELECT account_code, user_id, scopes FROM api_tokens WHERE sha256 = unhex(?) AND revoked_at IS NULL',
  )
  const known = new Map<string, Caller>()
  return header => {
    if (header?.startsWith('Bearer ') !== true) return null
    const digest = hash('sha256', header.slice(7))
    const caller = known.get(digest)
    if (caller !== undefined) return caller
    const row = find.get(digest)
    if (row === undefined) return null
    const { account_code: accountCode, user_id: userId } = row
    const found = { accountCode, userId, scopes: new Set(row.scopes.split(' ')) }
    known.set(digest, found)
    return found
  }
}

export function mayRead({ scopes }: Caller): boolean {
  return scopes.has('memberships:read') || scopes.has('admin')
}

export function mayWrite({ scopes }: Caller): boolean {
  return scopes.has('memberships:write') || scopes.has('admin')
}

export function maySaveCases({ scopes }: Caller): boolean {
  return scopes.has('cases:write') || scopes.has('admin')
}

export function mayExecute({ scopes }: Caller): boolean {
  return scopes.has('tasks:execute') || scopes.has('admin')
}
