import { html, nothing } from 'lit'
import { ask } from '../gateway/operation.ts'
import { PageElement } from '../shell/page-element.ts'
import { type Bar, viewBarChart } from './bar-chart.ts'
import { type RunFilter, readStats, type Stats } from './run-documents.ts'

// The gateway counts again after some seconds.
const refreshMs = 5_000
const minuteMs = 60_000
const minutes = 60

/** Three charts of the runs of the last hour. */
class RunCharts extends PageElement {
  static override properties = { filter: { attribute: false }, stats: { state: true } }
  declare filter: RunFilter
  declare stats: Stats | null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.filter = {}
    this.stats = null
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('filter')) void this.#load()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    clearTimeout(this.#timer)
  }

  // The table of runs says if the gateway cannot be reached.
  async #load(): Promise<void> {
    clearTimeout(this.#timer)
    const { filter } = this
    const isShown = document.visibilityState === 'visible'
    const found = isShown ? await ask(readStats, { filter }).catch(() => null) : null
    if (filter !== this.filter) return
    this.stats = found?.runStats ?? this.stats
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#load(), refreshMs)
  }

  override render() {
    const { stats } = this
    const note = html`<p class="quiet">Only the newest ${stats?.counted} runs of the last hour are counted.</p>`
    return html`<section class="charts" aria-label="The last hour">
      ${viewMinutes(stats)} ${viewOutcomes(stats)} ${viewDurations(stats)}
    </section>
    ${stats?.isComplete === false ? note : nothing}`
  }
}

// The charts load again until an answer comes.
const describeEmpty = (stats: Stats | null) => (stats === null ? 'Loading…' : 'No runs in the last hour')

function viewMinutes(stats: Stats | null) {
  const first = Math.floor(Date.now() / minuteMs) - minutes
  const bars = (stats?.minutes ?? []).map(({ at, runs }) => ({
    label: new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }),
    value: runs,
    place: Math.floor(Date.parse(at) / minuteMs) - first,
  }))
  return viewBarChart({
    name: 'Runs a minute',
    heads: ['Time', 'Runs'],
    bars,
    columns: minutes + 1,
    empty: describeEmpty(stats),
  })
}

function viewOutcomes(stats: Stats | null) {
  const bars: Bar[] = (stats?.outcomes ?? []).map(({ outcome, runs }) => ({
    label: outcome.toLowerCase(),
    value: runs,
    kind: outcome.toLowerCase(),
  }))
  const isEmpty = bars.every(({ value }) => value === 0)
  return viewBarChart({
    name: 'Outcomes',
    heads: ['Outcome', 'Runs'],
    bars: isEmpty ? [] : bars,
    columns: 3,
    empty: describeEmpty(stats),
  })
}

function viewDurations(stats: Stats | null) {
  const given = { p50: stats?.p50Ms, p95: stats?.p95Ms, p99: stats?.p99Ms }
  const bars = Object.entries(given).flatMap(([label, value]) => (value == null ? [] : [{ label, value }]))
  return viewBarChart({
    name: 'Duration',
    heads: ['Percentile', 'ms'],
    bars,
    columns: 3,
    empty: describeEmpty(stats),
  })
}

customElements.define('run-charts', RunCharts)
