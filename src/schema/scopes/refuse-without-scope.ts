import { type Caller, hasScope, type Scope } from '../../credentials/caller.ts'
import { RostrumError } from '../../errors.ts'

/** Throws `FORBIDDEN` if the caller lacks the scope of a field. The error names the scope and who lacks it. */
export function refuseWithoutScope(caller: Caller, scope: Scope, field: string): void {
  if (hasScope(caller, scope)) return
  const { rightsOf } = caller
  const message =
    rightsOf === undefined
      ? `This credential lacks the scope \`${scope}\`, which \`${field}\` needs; use one that has it.`
      : `The ${rightsOf} lacks the scope \`${scope}\`. Add it to the ${rightsOf}'s \`scopes\`.`
  throw new RostrumError('FORBIDDEN', message, { facts: { scope } })
}
