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
  'metrics:read',
  'admin',
] as const

export type Scope = (typeof scopes)[number]

/** The caller, the only source of rights (contract, section 1). The options of a script never change it. */
export interface Caller {
  readonly accountCode: string
  /** The id of the API token; absent for another credential. For logs. */
  readonly tokenId?: number
  /** Null if the credential has no integer id, for example a JWT with another `sub`. */
  readonly userId: number | null
  /** The `sub` of a JWT, which distinguishes callers without an integer id. Null for an API token. */
  readonly subject: string | null
  readonly email: string | null
  readonly displayName: string | null
  readonly scopes: ReadonlySet<Scope>
  /** If the rights come from a trigger: the caller whose credential must still be valid. */
  readonly source?: Caller
  /** If the scopes come from a trigger: the kind of trigger. Absent if they come from a credential. */
  readonly rightsOf?: SavedTrigger
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}

/**
 * Scopes of the operator of the gateway. `admin` does not include them: the admin of an account is not the operator.
 */
export const operatorScopes: readonly Scope[] = ['metrics:read']

/** True if the caller has the scope, or `admin`, which includes all scopes but those of the operator. */
export function hasScope(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || (caller.scopes.has('admin') && !operatorScopes.includes(scope))
}

interface TriggeredRun {
  readonly accountCode: string
  /** The caller that caused the run. It is data for the script, not a credential that could be checked again. */
  readonly causedBy: Pick<Caller, 'userId' | 'subject' | 'email' | 'displayName'>
  readonly scopes: readonly string[]
  readonly rightsOf: SavedTrigger
}

/** Returns the caller of a run that no request waits for. It has only the rights of its trigger. */
export function callerOfTrigger({ accountCode, causedBy, scopes, rightsOf }: TriggeredRun): Caller {
  return { accountCode, ...causedBy, scopes: new Set(scopes.filter(isScope)), rightsOf }
}

/** Returns the same caller with other scopes instead of its credential's. `rightsOf` is null for a replay. */
export function withScopes(caller: Caller, scopes: readonly string[], rightsOf: SavedTrigger | null): Caller {
  const { rightsOf: _, ...given } = caller
  const rights = { scopes: new Set(scopes.filter(isScope)), source: caller.source ?? caller }
  return { ...given, ...rights, ...(rightsOf !== null && { rightsOf }) }
}
