import { parseId } from '../../domain/id.ts'
import type { MembershipPair } from '../../domain/store.ts'
import { RostrumError } from '../../errors.ts'

const whats = { userId: 'user id', teamId: 'team id' } as const

interface GivenMove {
  readonly userId?: string | null | undefined
  readonly teamId?: string | null | undefined
}

/** What a move changes; `BAD_USER_INPUT` for what is no id, null among it. */
export function readMove({ userId, teamId }: GivenMove): Partial<MembershipPair> {
  return { ...optionalId('userId', userId), ...optionalId('teamId', teamId) }
}

function optionalId<Name extends keyof typeof whats>(name: Name, text: string | null | undefined) {
  if (text === undefined) return {}
  if (text !== null) return { [name]: parseId(text, whats[name]) } as Record<Name, number>
  const message = `\`${name}\` cannot be null; leave it out to keep it.`
  throw new RostrumError('BAD_USER_INPUT', message, {
    fields: [{ pointer: `/${name}`, detail: 'must not be null' }],
  })
}
