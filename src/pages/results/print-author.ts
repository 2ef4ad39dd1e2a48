import { readSession } from '../gateway/session.ts'

interface Author {
  readonly byEmail: string | null
  readonly byUserId: string | null
}

/** Prints who changed something. */
export function printAuthor({ byEmail, byUserId }: Author): string {
  if (byEmail !== null) return byEmail
  if (byUserId === null) return 'unknown'
  // The user of a token without an e-mail address has an id that nobody knows by heart, not even its owner.
  return byUserId === readSession()?.userId ? 'you' : `user ${byUserId}`
}
