import type { AuthFailure } from '@pothos/plugin-scope-auth'
import type { GraphQLResolveInfo } from 'graphql'
import { RostrumError } from '../errors.ts'

/** The error for a field whose scope the caller lacks; it names both (`FORBIDDEN`, with the fact `scope`). */
export function refuseScope(info: GraphQLResolveInfo, failure: AuthFailure): RostrumError {
  const scope = findScope(failure) ?? 'unknown'
  const field = `${info.parentType.name}.${info.fieldName}`
  return new RostrumError(
    'FORBIDDEN',
    `This credential lacks the scope \`${scope}\`, which \`${field}\` needs; use one that has it.`,
    { facts: { scope } },
  )
}

function findScope(failure: AuthFailure): string | null {
  if ('parameter' in failure) return String(failure.parameter)
  if (!('failures' in failure)) return null
  return failure.failures.map(findScope).find(scope => scope !== null) ?? null
}
