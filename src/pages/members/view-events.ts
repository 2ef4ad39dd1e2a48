import { html } from 'lit'
import { viewTime } from '../shell/view-time.ts'
import type { MembershipEvent } from './member-documents.ts'

/** Shows changes of memberships, newest first. */
export function viewEvents(events: readonly MembershipEvent[]) {
  if (events.length === 0)
    return html`<p class="quiet">No changes yet. Who joins, moves or leaves is listed here.</p>`
  return html`<ol class="rows events" aria-label="Events" reversed>${events.map(viewEvent)}</ol>`
}

function viewEvent(event: MembershipEvent) {
  const { at, byEmail, byUserId, txnID } = event
  const who = byEmail ?? (byUserId === null ? 'unknown' : `user ${byUserId}`)
  return html`<li>
    <span class="what">${describe(event)}</span>
    <span title="Transaction ${txnID}">${viewTime(at)} by ${who}</span>
  </li>`
}

function describe({ before, after }: MembershipEvent): string {
  if (before === null) return `User ${after?.userId} joined team ${after?.teamId}`
  if (after === null) return `User ${before.userId} left team ${before.teamId}`
  if (before.userId === after.userId)
    return `User ${before.userId} moved from team ${before.teamId} to team ${after.teamId}`
  return `User ${before.userId} in team ${before.teamId} became user ${after.userId} in team ${after.teamId}`
}
