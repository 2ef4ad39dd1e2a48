import { html, nothing } from 'lit'
import { viewAuthor } from '../results/view-author.ts'
import { viewTime } from '../time/view-time.ts'
import type { FoundEvents } from './event-search.ts'
import type { MembershipEvent } from './member-documents.ts'
import type { Side } from './view-memberships.ts'

interface Shown {
  readonly found: FoundEvents
  readonly side: Side
  /** Looks through the changes before those that were looked through. */
  readonly onFindEarlier: (event: Event) => void
}

/** Shows changes of memberships, newest first, and how far they were looked for. */
export function viewEvents({ found, side, onFindEarlier }: Shown) {
  const { rows, earliest } = found
  if (rows.length === 0 && earliest === null)
    return html`<p class="quiet">No changes yet. Who joins, moves or leaves is listed here.</p>`
  const list = html`<ol class="rows events" aria-label="Events" reversed>${rows.map(viewEvent)}</ol>`
  const further = html`<p class="quiet">${describeSearch(found, side)}</p>
    <button type="button" @click=${onFindEarlier}>Look further back</button>`
  return html`${rows.length === 0 ? nothing : list} ${earliest === null ? nothing : further}`
}

function describeSearch({ rows, searched }: FoundEvents, side: Side): string {
  const newest = `the newest ${searched.toLocaleString('en')} changes of the account`
  return rows.length === 0 ? `No change of this ${side} is among ${newest}.` : `These are among ${newest}.`
}

function viewEvent(event: MembershipEvent) {
  const { at, txnID } = event
  return html`<li>
    <span class="what">${describe(event)}</span>
    <span title="Transaction ${txnID}">${viewTime(at)} by ${viewAuthor(event)}</span>
  </li>`
}

function describe({ before, after }: MembershipEvent): string {
  if (before === null) return `User ${after?.userId} joined team ${after?.teamId}`
  if (after === null) return `User ${before.userId} left team ${before.teamId}`
  if (before.userId === after.userId)
    return `User ${before.userId} moved from team ${before.teamId} to team ${after.teamId}`
  return `User ${before.userId} in team ${before.teamId} became user ${after.userId} in team ${after.teamId}`
}
