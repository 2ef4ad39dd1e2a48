import { notFound, RostrumError } from '../../errors.ts'
import { staleRecord } from '../stale-record.ts'
import type { MembershipRemoval, Miss } from './membership-store.ts'

export function alreadyMember(existingId: number): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `The user is in this team already, by team membership \`${existingId}\`.`,
    { reason: 'PAIR_EXISTS', facts: { existingId } },
  )
}

/** The error for a change of a membership that does not exist, or that is at none of the versions `ifVersions`. */
export function notFoundOrStale({ id, ifVersions }: MembershipRemoval, result: Miss): RostrumError {
  if (result.kind === 'missing') return notFound('team membership', id)
  return staleRecord('team membership', { id, version: result.version, ifVersions })
}
