import { parseIdFields } from '../../domain/id.ts'
import type { MembershipPair } from '../../domain/memberships/membership-store.ts'
import { RostrumError } from '../../errors.ts'

const labels = { userId: 'user id', teamId: 'team id' } as const

interface GivenMove {
  readonly userId?: string | null | undefined
  readonly teamId?: string | null | undefined
}

/** The ids of a new membership. Throws `BAD_USER_INPUT` with a pointer to each that is not an id. */
export function readPair({
  userId,
  teamId,
}: { readonly [Name in keyof MembershipPair]: string }): MembershipPair {
  return parseIdFields({
    userId: { text: userId, what: labels.userId },
    teamId: { text: teamId, what: labels.teamId },
  })
}

/**
 * The ids that a move changes. Throws `BAD_USER_INPUT` if there are none, for null and for anything else that is not an
 * id.
 */
export function readMove({ userId, teamId }: GivenMove): Partial<MembershipPair> {
  if (userId === undefined && teamId === undefined)
    throw new RostrumError('BAD_USER_INPUT', 'There is nothing to change: give the user, the team or both.')
  return parseIdFields({ ...optionalId('userId', userId), ...optionalId('teamId', teamId) })
}

function optionalId(name: keyof typeof labels, text: string | null | undefined) {
  if (text === undefined) return {}
  if (text !== null) return { [name]: { text, what: labels[name] } }
  const message = `\`${name}\` cannot be null; leave it out to keep it.`
  throw new RostrumError('BAD_USER_INPUT', message, {
    fields: [{ pointer: `/${name}`, detail: 'must not be null' }],
  })
}
