import type { Scope } from '../credentials/caller.ts'
import { RostrumError } from '../errors.ts'

/** The error for a field whose scope the caller lacks; it names both (`FORBIDDEN`, with the fact `scope`). */
export function refuseScope(field: string, scope: Scope): RostrumError {
  return new RostrumError(
    'FORBIDDEN',
    `This credential lacks the scope \`${scope}\`, which \`${field}\` needs; use one that has it.`,
    { facts: { scope } },
  )
}
