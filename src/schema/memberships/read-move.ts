import { parseId } from '../../domain/id.ts'
import type { MembershipPair } from '../../domain/memberships/membership-store.ts'
import { RostrumError } from '../../errors.ts'

const labels = { userId: 'user id', teamId: 'team id' } as const

interface GivenMove {
  readonly userId?: string | null | undefined
  readonly teamId?: string | null | undefined
}

/** The ids that a move changes. Throws `BAD_USER_INPUT` for null and for anything else that is not an id. */
export function readMove({ userId, teamId }: GivenMove): Partial<MembershipPair> {
  return { ...optionalId('userId', userId), ...optionalId('teamId', teamId) }
}

function optionalId<Name extends keyof typeof labels>(name: Name, text: string | null | undefined) {
  if (text === undefined) return {}
  if (text !== null) return { [name]: parseId(text, labels[name], `/${name}`) } as Record<Name, number>
  const message = `\`${name}\` cannot be null; leave it out to keep it.`
  throw new RostrumError('BAD_USER_INPUT', message, {
    fields: [{ pointer: `/${name}`, detail: 'must not be null' }],
  })
}
