import { html, nothing } from 'lit'
import { retryMs } from '../gateway/gateway-error.ts'
import { ask } from '../gateway/operation.ts'
import { formatMs } from '../results/print.ts'
import { PageElement } from '../shell/page-element.ts'
import { timeLanguage } from '../time/exact-time.ts'
import { type Bar, viewBarChart } from './bar-chart.ts'
import { type RunFilter, readStats, type Stats } from './run-documents.ts'

// The gateway counts again after some seconds.
const refreshMs = 5_000
const minuteMs = 60_000
const minutes = 60
const clock = new Intl.DateTimeFormat(timeLanguage, { hour: '2-digit', minute: '2-digit' })

/** Three charts of the runs of the last hour. */
class RunCharts extends PageElement {
  static override properties = {
    filter: { attribute: false },
    stats: { state: true },
    hasFailed: { state: true },
  }
  declare filter: RunFilter
  declare stats: Stats | null
  declare hasFailed: boolean
  /** The filter of `stats`. */
  #shown: RunFilter | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.filter = {}
    this.stats = null
    this.hasFailed = false
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
    let nextMs = refreshMs
    if (document.visibilityState === 'visible') {
      // The charts are of the last hour, whatever time the table begins at.
      const { startedBefore: _, ...others } = filter
      const found = await ask(readStats, { filter: others }).catch((error: unknown) => {
        nextMs = retryMs(error, refreshMs)
        return null
      })
      if (filter !== this.filter) return
      this.#note(filter, found?.runStats ?? null)
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#load(), nextMs)
  }

  // After an error, the last figures stay, unless they are those of another filter.
  #note(filter: RunFilter, found: Stats | null): void {
    this.hasFailed = found === null
    if (found === null && filter === this.#shown) return
    this.stats = found
    this.#shown = filter
  }

  override render() {
    const { stats } = this
    const missing = this.hasFailed ? 'Not loaded' : 'Loading…'
    const empty = stats === null ? missing : 'No runs in the last hour'
    const counted = stats?.counted.toLocaleString('en')
    const note = html`<p class="quiet">Only the newest ${counted} runs of the last hour are counted.</p>`
    return html`<section class="charts" aria-label="The last hour">
      ${viewMinutes(stats, empty)} ${viewOutcomes(stats, empty)} ${viewDurations(stats, empty)}
    </section>
    ${stats?.isComplete === false ? note : nothing}`
  }
}

function viewMinutes(stats: Stats | null, empty: string) {
  const counted = stats?.minutes ?? []
  const first = findFirst(counted.map(({ at }) => minuteOf(Date.parse(at))))
  const bars = counted.map(({ at, runs }) => ({
    label: clock.format(new Date(at)),
    value: runs,
    place: minuteOf(Date.parse(at)) - first,
  }))
  return viewBarChart({
    name: 'Runs a minute',
    heads: ['Time', 'Runs'],
    bars,
    columns: minutes + 1,
    empty,
  })
}

/** Returns the minute with which the hour begins. The clock of this machine may differ from that of the gateway. */
function findFirst(counted: readonly number[]): number {
  const own = minuteOf(Date.now()) - minutes
  return Math.min(Math.max(own, ...counted.map(minute => minute - minutes)), ...counted)
}

const minuteOf = (ms: number) => Math.floor(ms / minuteMs)

function viewOutcomes(stats: Stats | null, empty: string) {
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
    empty,
  })
}

function viewDurations(stats: Stats | null, empty: string) {
  const given = { p50: stats?.p50Ms, p95: stats?.p95Ms, p99: stats?.p99Ms }
  const bars = Object.entries(given).flatMap(([label, value]) => (value == null ? [] : [{ label, value }]))
  return viewBarChart({
    name: 'Duration',
    heads: ['Percentile', 'ms'],
    bars,
    columns: 3,
    empty,
    print: formatMs,
  })
}

customElements.define('run-charts', RunCharts)
