import type { SavedTrigger } from '../domain/scripts/trigger-kinds.ts'

export const scopes = [
  'memberships:read',
  'memberships:write',
  'functions:read',
  'functions:write',
  'runs:read',
  'tasks:execute',
  'cases:read',
  'cases:write',
  'admin',
] as const

export type Scope = (typeof scopes)[number]

/** The caller, the only source of rights (contract, section 1). The options of a task never change it. */
export interface Caller {
  readonly accountCode: string
  /** Null if the credential has no integer id, for example a JWT with another `sub`. */
  readonly userId: number | null
  /** The `sub` of a JWT, which distinguishes callers without an integer id. Null for an API token. */
  readonly subject: string | null
  readonly email: string | null
  readonly displayName: string | null
  readonly scopes: ReadonlySet<Scope>
  /** The caller whose credential is confirmed, if the rights are those of a trigger. */
  readonly source?: Caller
  /** The trigger whose scopes these are. Absent if they are those of a credential. */
  readonly rightsOf?: SavedTrigger
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}

/** True if the caller has the scope, or `admin`, which includes all scopes. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('admin')
}

interface TriggeredRun {
  readonly accountCode: string
  /** Who caused the run: data for its script, not a credential that could be confirmed. */
  readonly causedBy: Pick<Caller, 'userId' | 'subject' | 'email' | 'displayName'>
  readonly scopes: readonly string[]
  readonly rightsOf: SavedTrigger
}

/** The caller of a run that no request waits for with its own credential: it has the rights of its trigger alone. */
export function callerOfTrigger({ accountCode, causedBy, scopes, rightsOf }: TriggeredRun): Caller {
  return { accountCode, ...causedBy, scopes: new Set(scopes.filter(isScope)), rightsOf }
}

/** The same caller with other rights, which are never those of its credential. `rightsOf` is null for a replay's. */
export function withScopes(caller: Caller, scopes: readonly string[], rightsOf: SavedTrigger | null): Caller {
  const { rightsOf: _, ...given } = caller
  const rights = { scopes: new Set(scopes.filter(isScope)), source: caller.source ?? caller }
  return { ...given, ...rights, ...(rightsOf !== null && { rightsOf }) }
}
