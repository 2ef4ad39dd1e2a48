import { html } from 'lit'
import { readSession } from '../gateway/session.ts'
import { viewText } from '../shell/view-text.ts'

interface Author {
  readonly byEmail: string | null
  readonly byUserId: string | null
}

/** Shows who changed something. */
export function viewAuthor({ byEmail, byUserId }: Author) {
  if (byEmail !== null) return html`<bdi>${viewText(byEmail)}</bdi>`
  if (byUserId === null) return 'unknown'
  // The user of a token without an e-mail address has an id that nobody knows by heart, not even its owner.
  return byUserId === readSession()?.userId ? 'you' : `user ${byUserId}`
}
