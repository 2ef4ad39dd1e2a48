import { html, nothing } from 'lit'
import { allows } from '../gateway/session.ts'
import { viewEmpty } from '../shell/page-element.ts'
import { viewCode, viewJson, viewText } from '../shell/view-text.ts'
import type { Execution } from './execution.ts'
import { cutText, printJson, type Shown } from './print.ts'
import type { RunState } from './run-state.ts'

const noMessage = html`<p class="quiet">The script called <code>fail</code> without a message.</p>`

/** Shows what the script gave to `exit` or `fail`, or the error that ended it. */
export function viewResult({ phase, execution }: RunState) {
  if (execution !== null) return viewExecution(execution)
  if (phase === 'running') return html`<p class="quiet">The script is running.</p>`
  if (phase === 'stopped') return html`<p class="quiet">You stopped the run. It has no result.</p>`
  if (phase === 'refused') return html`<p class="quiet">The script did not run, so there is no result.</p>`
  if (phase === 'lost') return html`<p class="quiet">The result did not arrive.</p>`
  if (!allows('tasks:execute'))
    return viewEmpty(
      'You may not run scripts',
      'Your token lacks the scope tasks:execute. Ask for one that has it.',
    )
  return viewEmpty('Nothing has run yet', 'Write a script, then press Ctrl+Enter. Its result appears here.')
}

/** Returns all of the value, the message or the error. */
export function printResult({ outcome, payload, message, error }: Execution): string {
  if (outcome === 'exit') return JSON.stringify(payload, null, 2)
  return outcome === 'fail' ? (message ?? '') : [error?.code, error?.message].join('\n')
}

/** Shows the whole execution as the gateway sent it. */
export function viewRaw({ execution }: RunState) {
  if (execution === null)
    return html`<p class="quiet">The answer of the gateway appears here when a run has ended.</p>`
  return viewShown(printJson(execution))
}

/** Shows JSON, and how much of it is left out. */
export function viewShown({ text, note }: Shown) {
  return html`${viewNote(note)}<pre>${viewJson(text)}</pre>`
}

/** Shows a source as far as there is room, and how much of it is left out. */
export function viewSource(source: string) {
  const { text, note } = cutText(source)
  return html`${viewNote(note)}<pre>${viewCode(text)}</pre>`
}

// Each line has the direction of its own words.
function viewMessage({ text, note }: Shown) {
  return html`${viewNote(note)}<pre dir="auto">${viewText(text)}</pre>`
}

function viewNote(note: string | null) {
  return note === null ? nothing : html`<p class="note">${note}</p>`
}

/** Shows how a run ended: the value, the message or the error. */
export function viewExecution({
  outcome,
  payload,
  message,
  error,
}: Pick<Execution, 'outcome' | 'payload' | 'message' | 'error'>) {
  if (outcome === 'exit') return viewShown(printJson(payload))
  if (outcome === 'fail') return message ? viewMessage(cutText(message)) : noMessage
  const place = error?.line == null ? nothing : html` at Ln ${error.line}, Col ${error.column ?? 1}`
  return html`<p class="failure"><strong>${error?.code}</strong>${place}</p>
    ${viewMessage(cutText(error?.message ?? ''))} ${error?.hint == null ? nothing : html`<p>${error.hint}</p>`}`
}
