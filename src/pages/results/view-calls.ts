import { html, nothing, svg } from 'lit'
import { viewText } from '../shell/view-text.ts'
import type { Call } from './execution.ts'
import { formatMs } from './print.ts'
import type { RunState } from './run-state.ts'

/** Shows the calls of the run on a time axis that begins with the first of them. */
export function viewCalls({ calls, phase }: RunState) {
  const [first] = calls
  if (first === undefined)
    return html`<p class="quiet">Calls of <code>graphql</code> and <code>Platform</code> appear here as they begin.</p>`
  const start = Date.parse(first.at)
  const starts = calls.map(({ at }) => Date.parse(at) - start)
  const ends = calls.map(({ durationMs }, index) => (starts[index] ?? 0) + (durationMs ?? 0))
  const whole = Math.max(1, ...ends)
  const open = phase === 'running' ? 'running' : 'not ended'
  return html`<ol class="calls" aria-label="Calls">
      ${calls.map((call, index) => viewCall(call, { from: starts[index] ?? 0, whole, open }))}
    </ol>
    <p class="axis" aria-label="Time axis">
      ${[0, 0.25, 0.5, 0.75, 1].map(share => html`<span>${formatMs(whole * share)}</span>`)}
    </p>`
}

interface Axis {
  /** In milliseconds. */
  readonly from: number
  readonly whole: number
  /** What is said of a call without an end. */
  readonly open: string
}

function viewCall({ name, durationMs, error, runId }: Call, { from, whole, open }: Axis) {
  const takes = durationMs === null ? open : formatMs(durationMs)
  const label = `${name}: starts at ${Math.round(from)} ms, ${durationMs === null ? takes : `takes ${takes}`}`
  const shown = viewText(name)
  const width = Math.max(0.5, ((durationMs ?? whole - from) / whole) * 100)
  return html`<li>
    <bdi>${runId === null ? shown : html`<a href="/runs/${runId}">${shown}</a>`}</bdi>
    <span class="call-time">${takes}</span>
    <svg role="img" aria-label=${label} viewBox="0 0 100 6" preserveAspectRatio="none">
      ${svg`<rect class=${error === null ? 'bar' : 'bar bad'} x=${(from / whole) * 100} width=${width} height="6" />`}
    </svg>
    ${error === null ? nothing : html`<bdi class="call-error">${viewText(error)}</bdi>`}
  </li>`
}
