export const scopes = ['memberships:read', 'memberships:write', 'tasks:execute', 'admin'] as const

export type Scope = (typeof scopes)[number]

/** Who asks: the one source of rights (contract, section 1). Options of a task never change it. */
export interface Caller {
  readonly accountCode: string
  /** Null where the credential names nobody with an integer id (a JWT whose `sub` is not one). */
  readonly userId: number | null
  /** Of a JWT: its `sub` as it stands, which tells apart those that have no integer id. Null for an API token, which has one. */
  readonly subject: string | null
  readonly email: string | null
  readonly displayName: string | null
  readonly scopes: ReadonlySet<Scope>
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}

/** `admin` stands for every scope. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('admin')
}
