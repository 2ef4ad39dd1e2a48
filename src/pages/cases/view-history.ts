import { html, nothing } from 'lit'
import { viewAuthor } from '../results/view-author.ts'
import { viewTable } from '../shell/page-element.ts'
import { viewExactTime } from '../time/view-time.ts'
import type { CaseEvent } from './case-documents.ts'
import './change-list.ts'

/** Shows the versions of a case, newest first, each with the fields that it changed. */
export function viewHistory(events: readonly CaseEvent[]) {
  const columns = ['Version', 'When', 'Who', 'Changed']
  return viewTable({ name: 'History', kind: 'history', columns, rows: events.toReversed().map(viewEvent) })
}

function viewEvent({ version, kind, at, function: name, changedFields, ...by }: CaseEvent) {
  const through = name === null ? nothing : html` <span class="quiet">through ${name}</span>`
  return html`<tr role="row">
    <td role="cell" class="version" tabindex="-1">${version} <span class="quiet">${kind.toLowerCase()}</span></td>
    <td role="cell">${viewExactTime(at)}</td>
    <td role="cell" class="author">${viewAuthor(by)}${through}</td>
    <td role="cell" class="whole">${viewChanges(changedFields)}</td>
  </tr>`
}

function viewChanges(changedFields: CaseEvent['changedFields']) {
  if (changedFields === undefined)
    return html`<span class="quiet">The changes are too large to show here.</span>`
  return html`<change-list .fields=${changedFields}></change-list>`
}
