import { html, nothing } from 'lit'
import type { Execution } from '../results/execution.ts'
import { printJson } from '../results/print.ts'
import { viewExitChanges } from '../results/view-difference.ts'
import { viewLogs } from '../results/view-logs.ts'
import { viewExecution, viewShown, viewSource } from '../results/view-result.ts'
import { viewCode } from '../shell/view-text.ts'
import type { KeptRun } from './run-documents.ts'
import { explainNoLog, explainNoResult } from './run-outcome.ts'
import { printAround } from './source-lines.ts'

const notKept = html`<p class="quiet">
  It is not kept: it was over 256 KiB, there was no room for it, or it is too old.
</p>`

const leftOut = html`<p class="quiet">It is not kept: it was over 256 KiB, or there was no room for it.</p>`

/** Shows what the run returned, what that changed, what it wrote to its log, and what it was given. */
export function viewOutput(run: KeptRun) {
  const logs = run.logs.map(entry => ({ ...entry, level: entry.level.toLowerCase() }))
  const noLog = explainNoLog(run)
  return html`<div class="run-parts">
    ${viewPart('Result', html`${viewEnd(run)} ${viewPlace(run)}`)}
    ${isComparable(run) ? viewPart('Difference', viewExitChanges(run.input, run.payload)) : nothing}
    ${viewPart('Logs', noLog === null ? viewLogs({ logs }) : viewReason(noLog))}
    ${viewPart('Input', run.isInputKept ? viewShown(printJson(run.input)) : notKept)}
    ${viewPart('Options', run.options === null ? notKept : viewShown(printJson(run.options)))}
    ${run.sourceCode === null ? nothing : viewPart('Script', viewSource(run.sourceCode))}
  </div>`
}

function viewPart(name: string, content: unknown) {
  return html`<section class="run-part" aria-label=${name}>
    <h2>${name}</h2>
    <div class="box" tabindex="0">${content}</div>
  </section>`
}

function viewReason(reason: string | null) {
  return html`<p class="quiet">${reason}</p>`
}

function isComparable({ outcome, isInputKept, isPayloadKept }: KeptRun): boolean {
  return outcome === 'EXIT' && isInputKept && isPayloadKept
}

function viewEnd(run: KeptRun) {
  const { state, outcome, isPayloadKept, message } = run
  if (outcome === null) return viewReason(explainNoResult(run))
  const isLeftOut = (outcome === 'EXIT' && !isPayloadKept) || (outcome === 'FAIL' && message === null)
  const end = { ...run, outcome: outcome.toLowerCase() as Execution['outcome'] }
  return html`${state === 'LOST' ? viewReason('The result came too late, so it counts for nothing.') : nothing}
    ${isLeftOut ? leftOut : viewExecution(end)}`
}

function viewPlace({ error, sourceCode }: KeptRun) {
  if (error?.line == null || sourceCode === null) return nothing
  const lines = printAround(sourceCode, { line: error.line, column: error.column ?? 1 })
  return html`<pre class="source" tabindex="0">${viewCode(lines)}</pre>`
}
