import { html, nothing } from 'lit'
import { idleRun, type RunState } from '../../results/run-state.ts'
import { viewCalls } from '../../results/view-calls.ts'
import { viewDifference } from '../../results/view-difference.ts'
import { viewLogs } from '../../results/view-logs.ts'
import { viewRaw, viewResult } from '../../results/view-result.ts'
import { PageElement } from '../../shell/page-element.ts'

/** One way to look at a run. */
export interface ResultView {
  readonly name: string
  readonly view: (run: RunState) => unknown
  readonly count?: (run: RunState) => number
}

/** The ways to look at a run, in the order of their keys. */
export const resultViews: readonly ResultView[] = [
  { name: 'Result', view: viewResult },
  { name: 'Difference', view: viewDifference },
  { name: 'Logs', view: viewLogs, count: ({ logs }) => logs.length },
  { name: 'Calls', view: viewCalls, count: ({ calls }) => calls.length },
  { name: 'Raw', view: viewRaw },
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
    return resultViews.map((view, index) => this.#viewPanel(view, index))
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
