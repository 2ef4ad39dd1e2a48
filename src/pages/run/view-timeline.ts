import { html, nothing, svg } from 'lit'
import { formatMs } from '../results/print.ts'
import { viewText } from '../shell/view-text.ts'
import type { RunCall } from './run-documents.ts'
import type { Bar, Timeline } from './timeline.ts'

// About a pixel, in percent: what took no time can still be seen and chosen.
const minWidth = 0.15

interface Calls {
  /** Number of the call whose details are open, from 1. */
  readonly open: number | null
  /** Called when the link of a call is clicked. */
  readonly onChoose: (event: MouseEvent) => void
}

/** Shows what happened in the run and when, all on one axis. The details of one call can be open. */
export function viewTimeline({ bars, wholeMs, isCut }: Timeline, { open, onChoose }: Calls) {
  return html`${isCut ? html`<p class="note">There are more runs inside this run than are shown.</p>` : nothing}
    <div class="timeline-axis" aria-hidden="true">
      <div><span>0 ms</span><span>${wholeMs} ms</span></div>
    </div>
    <ol class="timeline" aria-label="Timeline">
      ${bars.map(bar => viewItem(bar, { wholeMs, onChoose, isOpen: bar.call !== null && bar.call.number === open }))}
    </ol>`
}

interface Place {
  readonly wholeMs: number
  readonly isOpen: boolean
  readonly onChoose: Calls['onChoose']
}

function viewItem(bar: Bar, place: Place) {
  const { runId, call } = bar
  const row = viewRow(bar, place)
  if (call === null) {
    const link = html`<a class="timeline-row" href="/runs/${runId}">${row}</a>`
    return html`<li>${runId === null ? html`<div class="timeline-row">${row}</div>` : link}</li>`
  }
  const id = `call-${call.number}`
  // The link keeps the focus, because the fragment names the link itself, or nothing at all.
  const href = place.isOpen ? '#timeline' : `#${id}`
  return html`<li>
    <a id=${id} class="timeline-row" href=${href} aria-expanded=${place.isOpen} @click=${place.onChoose}>${row}</a>
    ${place.isOpen ? viewCall(bar, call.call) : nothing}
  </li>`
}

function nameOf({ name, startMs, durationMs, noEnd }: Bar): string {
  return `${name}: starts at ${startMs} ms, ${noEnd ?? `takes ${durationMs} ms`}`
}

// The name of the bar has the time, too.
function viewRow(bar: Bar, { wholeMs }: Place) {
  const { name, startMs, durationMs, noEnd, depth, isBad, runId } = bar
  const kind = depth === 0 || runId !== null ? 'run' : 'call'
  const x = `${(startMs / wholeMs) * 100}%`
  const width = `${Math.max(minWidth, (durationMs / wholeMs) * 100)}%`
  const look = `timeline-bar ${kind} ${isBad ? 'bad' : ''}`
  const rect = svg`<rect role="img" aria-label=${nameOf(bar)} class=${look}
    x=${x} width=${width} y="15%" height="70%" rx="2" />`
  return html`<span class="timeline-name depth-${Math.min(depth, 4)}">${viewText(name)}</span>
    <span class="timeline-time" aria-hidden="true">${noEnd ?? `${durationMs} ms`}</span>
    <svg class="timeline-track" role="presentation">${rect}</svg>`
}

function viewCall({ name, startMs }: Bar, { durationMs, error }: RunCall) {
  const took = durationMs === null ? 'it was under way when the run ended' : formatMs(durationMs)
  const answer = error === null ? 'no error' : html`<bdi class="call-error">${viewText(error)}</bdi>`
  return html`<section class="timeline-call" aria-label=${name}>
    <h3>${viewText(name)}</h3>
    <dl class="facts">
      <div><dt>Started</dt><dd>${formatMs(startMs)} after the run</dd></div>
      <div><dt>Took</dt><dd>${took}</dd></div>
      <div><dt>Answer</dt><dd>${answer}</dd></div>
    </dl>
  </section>`
}
