import { html, nothing } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { formatMs, printTrigger } from '../results/print.ts'
import { viewTable } from '../shell/page-element.ts'
import { viewText } from '../shell/view-text.ts'
import { viewTime } from '../time/view-time.ts'
import type { RunRow } from './run-documents.ts'

const columns = ['Run', 'Outcome', 'Trigger', 'Case', 'Took', 'Started']

/** Shows runs as a table. */
export function viewRuns(runs: readonly RunRow[]) {
  const rows = repeat(runs, ({ id }) => id, viewRow)
  return viewTable({ name: 'Runs', kind: 'runs', columns, rows })
}

function viewRow({ id, name, trigger, event, caseId, durationMs, startedAt, ...run }: RunRow) {
  const ofCase = caseId === null ? nothing : html`<a href="/cases/${caseId}">Case ${caseId}</a>`
  return html`<tr role="row">
    <td role="cell" class="whole"><a data-row href="/runs/${id}">${viewText(name)}</a></td>
    <td role="cell">${viewOutcome(run)}</td>
    <td role="cell" class="quiet">${printTrigger(trigger, event)}</td>
    <td role="cell">${ofCase}</td>
    <td role="cell" class="number">${durationMs === null ? nothing : formatMs(durationMs)}</td>
    <td role="cell" class="quiet">${viewTime(startedAt)}</td>
  </tr>`
}

/** Shows how a run ended, or its state. */
function viewOutcome({ state, outcome, error }: Pick<RunRow, 'state' | 'outcome' | 'error'>) {
  const word = (outcome ?? state).toLowerCase()
  return html`<span class="outcome-chip ${word}">${word}${error === null ? nothing : html` ${error.code}`}</span>`
}
