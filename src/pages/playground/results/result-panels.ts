import { html, nothing } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { Execution } from '../../results/execution.ts'
import { idleRun, type RunState } from '../../results/run-state.ts'
import { viewCalls } from '../../results/view-calls.ts'
import { viewDifference } from '../../results/view-difference.ts'
import { printLogs, viewLogs } from '../../results/view-logs.ts'
import { printResult, viewRaw, viewResult } from '../../results/view-result.ts'
import '../../shell/copy-button.ts'
import { PageElement } from '../../shell/page-element.ts'

/** One way to look at a run. */
export interface ResultView {
  readonly name: string
  readonly view: (run: RunState) => unknown
  readonly count?: (run: RunState) => number
  /** Returns all of what the view shows, which may be a part. */
  readonly print?: (execution: Execution) => string
}

/** The ways to look at a run, in the order of their keys. */
export const resultViews: readonly ResultView[] = [
  { name: 'Result', view: viewResult, print: printResult },
  { name: 'Difference', view: viewDifference },
  { name: 'Logs', view: viewLogs, count: ({ logs }) => logs.length, print: printLogs },
  { name: 'Calls', view: viewCalls, count: ({ calls }) => calls.length },
  { name: 'Raw', view: viewRaw, print: execution => JSON.stringify(execution, null, 2) },
]

/** What a run gives back, in a panel for each way to look at it. */
class ResultPanels extends PageElement {
  static override properties = { run: { attribute: false }, chosen: { attribute: false } }
  declare run: RunState
  /** The number of the panel that is shown, from 0. */
  declare chosen: number

  constructor() {
    super()
    this.run = idleRun
    this.chosen = 0
  }

  override render() {
    const note = html`<p class="other">This run is of the script that was open before.</p>`
    return html`${this.run.isOfOther ? note : nothing}
      ${resultViews.map((view, index) => this.#viewPanel(view, index))} ${this.#viewCopy()}`
  }

  // Printed once for each run: a large result takes time.
  #viewCopy() {
    const { execution } = this.run
    return guard([execution, this.chosen], () => {
      const { name, print } = resultViews[this.chosen] ?? {}
      if (execution === null || print === undefined) return nothing
      const text = print(execution)
      if (text === '') return nothing
      return html`<div class="copy"><copy-button .text=${text} what=${name}></copy-button></div>`
    })
  }

  // Only the chosen panel is rendered: a large result takes time.
  #viewPanel({ name, view }: ResultView, index: number) {
    const isChosen = index === this.chosen
    return html`<div
      role="tabpanel"
      id="panel-${name}"
      aria-labelledby="tab-${name}"
      tabindex="0"
      ?hidden=${!isChosen}
    >${isChosen ? view(this.run) : nothing}</div>`
  }
}

customElements.define('result-panels', ResultPanels)
