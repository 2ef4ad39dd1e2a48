import { type FieldError, notFound, RostrumError } from '../../errors.ts'
import { describeBadId, isId } from '../id.ts'
import { staleRecord } from '../stale-record.ts'
import type { MembershipPair, MembershipRemoval } from './membership-store.ts'

/** Throws `BAD_USER_INPUT` with a pointer to each id that is not valid. */
export function checkPair(pair: Partial<MembershipPair>): void {
  const fields: FieldError[] = []
  for (const [name, what] of [
    ['userId', 'user id'],
    ['teamId', 'team id'],
  ] as const) {
    const id = pair[name]
    if (id !== undefined && !isId(id))
      fields.push({ pointer: `/${name}`, detail: describeBadId(String(id), what) })
  }
  const first = fields[0]
  if (first !== undefined) throw new RostrumError('BAD_USER_INPUT', first.detail, { fields })
}

/** Checks the ids that a move changes, like `checkPair`. Throws `BAD_USER_INPUT` also if it changes neither. */
export function checkMove(change: Partial<MembershipPair>): void {
  checkPair(change)
  if (change.userId === undefined && change.teamId === undefined)
    throw new RostrumError('BAD_USER_INPUT', 'There is nothing to change: give the user, the team or both.')
}

export function alreadyMember(existingId: number): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `The user is in this team already, by team membership \`${existingId}\`.`,
    { reason: 'PAIR_EXISTS', facts: { existingId } },
  )
}

type NotFoundOrStale = { readonly kind: 'missing' } | { readonly kind: 'stale'; readonly version: number }

/** The error for a change of a membership that does not exist, or that is at none of the versions `ifVersions`. */
export function notFoundOrStale(
  { id, ifVersions }: MembershipRemoval,
  result: NotFoundOrStale,
): RostrumError {
  if (result.kind === 'missing') return notFound('team membership', id)
  return staleRecord('team membership', { id, version: result.version, ifVersions })
}
