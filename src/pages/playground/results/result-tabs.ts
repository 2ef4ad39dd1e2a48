import { html, nothing, type TemplateResult } from 'lit'
import { idleRun, type RunState } from '../../results/run-state.ts'
import { viewCalls } from '../../results/view-calls.ts'
import { viewDifference } from '../../results/view-difference.ts'
import { viewLogs } from '../../results/view-logs.ts'
import { viewRaw, viewResult } from '../../results/view-result.ts'
import { PageElement, viewError } from '../../shell/page-element.ts'

interface Tab {
  readonly name: string
  readonly view: (run: RunState) => unknown
  readonly count?: (run: RunState) => number
}

const tabs: readonly Tab[] = [
  { name: 'Result', view: viewResult },
  { name: 'Difference', view: viewDifference },
  { name: 'Logs', view: viewLogs, count: ({ logs }) => logs.length },
  { name: 'Calls', view: viewCalls, count: ({ calls }) => calls.length },
  { name: 'Raw', view: viewRaw },
]

/** What a run gives back, in five tabs. */
class ResultTabs extends PageElement {
  static override properties = { run: { attribute: false }, chosen: { state: true } }
  declare run: RunState
  declare chosen: number

  constructor() {
    super()
    this.run = idleRun
    this.chosen = 0
  }

  /** Chooses a tab by its number, from 0. */
  choose(index: number): void {
    this.chosen = index
  }

  override render() {
    return html`<div role="tablist" aria-label="Results" @keydown=${this.#move}>
        ${tabs.map((tab, index) => this.#viewTab(tab, index))}
      </div>
      ${tabs.map((tab, index) => this.#viewPanel(tab, index))}`
  }

  #viewTab({ name, count }: Tab, index: number): TemplateResult {
    const isChosen = index === this.chosen
    const number = count?.(this.run) ?? 0
    return html`<button
      type="button"
      role="tab"
      id="tab-${index}"
      aria-selected=${isChosen}
      aria-controls="panel-${index}"
      tabindex=${isChosen ? 0 : -1}
      title="Alt+${index + 1}"
      @click=${() => this.choose(index)}
    >${name}${number > 0 ? html` <span class="count">${number}</span>` : nothing}</button>`
  }

  // Only the chosen tab is rendered: a large result takes time.
  #viewPanel({ view }: Tab, index: number): TemplateResult {
    const isChosen = index === this.chosen
    const content = () => html`${index === 0 ? viewError(this.run.error) : nothing}${view(this.run)}`
    return html`<div
      role="tabpanel"
      id="panel-${index}"
      aria-labelledby="tab-${index}"
      tabindex="0"
      ?hidden=${!isChosen}
    >${isChosen ? content() : nothing}</div>`
  }

  #move = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: tabs.length - 1 }
    const step = steps[event.key]
    if (step === undefined || event.altKey) return
    event.preventDefault()
    this.choose((this.chosen + step) % tabs.length)
    this.updateComplete.then(() => this.querySelector<HTMLElement>('[aria-selected="true"]')?.focus())
  }
}

customElements.define('result-tabs', ResultTabs)

export type { ResultTabs }
