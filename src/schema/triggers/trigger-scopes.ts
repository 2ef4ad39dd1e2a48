import { type Caller, hasScope, isScope, scopes as known, type Scope } from '../../credentials/caller.ts'
import { invalidInput, RostrumError } from '../../errors.ts'

/** Returns the scopes of a trigger, each once. `BAD_USER_INPUT` for one that does not exist. */
export function readScopes(given: readonly string[]): readonly Scope[] {
  const unknown = given.flatMap((scope, index) =>
    isScope(scope)
      ? []
      : { pointer: `/scopes/${index}`, detail: `is not a scope; these are: ${list(known)}` },
  )
  if (unknown.length > 0) throw invalidInput(unknown)
  return [...new Set(given.filter(isScope))]
}

/**
 * Refuses scopes of a trigger that the caller does not hold, because all runs of the trigger have them (contract,
 * section 7). Null if the caller holds each.
 */
export function missingScopes(caller: Caller, scopes: readonly string[]): RostrumError | null {
  const lacking = scopes.filter(scope => !isScope(scope) || !hasScope(caller, scope))
  if (lacking.length === 0) return null
  return new RostrumError(
    'FORBIDDEN',
    `This credential lacks ${list(lacking)}, so it cannot give that to a script; use one that has it.`,
    { facts: { scope: lacking.join(' ') } },
  )
}

function list(names: readonly string[]): string {
  return names.map(name => `\`${name}\``).join(', ')
}
