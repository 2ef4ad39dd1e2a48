import { html, nothing } from 'lit'
import { allows } from '../../gateway/session.ts'
import { describeRun, type RunState } from '../../results/run-state.ts'

interface RunBar {
  readonly state: RunState
  readonly isRunning: boolean
  readonly run: () => void
  readonly stop: () => void
}

/** Shows the buttons that run and stop the script, and how the run stands. */
export function viewRunBar({ state, isRunning, run, stop }: RunBar) {
  // A run can end while `Stop` has the focus, which a disabled button would lose.
  const isFocused = document.activeElement?.id === 'stop'
  const stopButton = html`<button
    type="button"
    id="stop"
    ?disabled=${!isRunning && !isFocused}
    aria-disabled=${!isRunning}
    @click=${stop}
  >Stop <kbd>Esc</kbd></button>`
  const buttons = html`<button type="button" id="run" class="main" @click=${run}>Run <kbd>Ctrl+Enter</kbd></button>
    ${stopButton}`
  const id = state.execution?.id
  const text = describeRun(state)
  const link = html`<a id="run-link" href="/runs/${id}" title="Opens the page of this run">${text}</a>`
  return html`<div class="run-bar">
    ${allows('tasks:execute') ? buttons : nothing}
    <span role="status" class="run-status ${state.execution?.outcome ?? state.phase}">${
      id !== undefined && allows('runs:read') ? link : text
    }</span>
  </div>`
}
