import { type Caller, hasScope, type Scope } from '../../credentials/caller.ts'
import { RostrumError } from '../../errors.ts'

/** Throws `FORBIDDEN` if the caller lacks the scope of a field. The error names the field and the scope. */
export function refuseWithoutScope(caller: Caller, scope: Scope, field: string): void {
  if (hasScope(caller, scope)) return
  throw new RostrumError(
    'FORBIDDEN',
    `This credential lacks the scope \`${scope}\`, which \`${field}\` needs; use one that has it.`,
    { facts: { scope } },
  )
}
