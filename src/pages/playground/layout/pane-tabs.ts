import { html, nothing } from 'lit'
import { idleRun, type RunState } from '../../results/run-state.ts'
import { PageElement } from '../../shell/page-element.ts'
import { type ResultView, resultViews } from '../results/result-panels.ts'
import type { LayoutController, Pane } from './layout-controller.ts'

interface PaneTab {
  readonly name: string
  readonly panelId: string
  readonly isChosen: boolean
  readonly choose: () => void
  readonly title: string
  readonly count: number
}

/** The tabs of the results. Where it is narrow they also have a tab for the script and one for the input. */
class PaneTabs extends PageElement {
  // The page sets the layout again whenever it changes.
  static override properties = {
    layout: { attribute: false, hasChanged: () => true },
    run: { attribute: false },
  }
  declare layout: LayoutController | null
  declare run: RunState

  constructor() {
    super()
    this.layout = null
    this.run = idleRun
  }

  override render() {
    return html`<div role="tablist" aria-label="Results" @keydown=${this.#move}>${this.#tabs.map(viewTab)}</div>`
  }

  // A key can choose a result while the focus is in a pane that it hides.
  override updated(): void {
    if (document.activeElement?.checkVisibility() === false)
      this.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()
  }

  get #tabs(): readonly PaneTab[] {
    const { layout } = this
    if (layout === null) return []
    const fields = layout.isNarrow
      ? [toFieldTab(layout, 'script', 'Script'), toFieldTab(layout, 'input', 'Input')]
      : []
    return [
      ...fields,
      ...resultViews.map((view, index) => toResultTab(layout, { view, index, run: this.run })),
    ]
  }

  #move = (event: KeyboardEvent): void => {
    const tabs = this.#tabs
    const here = tabs.findIndex(({ isChosen }) => isChosen)
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: here + 1,
      ArrowLeft: here - 1 + tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }
    const target = targets[event.key]
    if (target === undefined || event.altKey) return
    event.preventDefault()
    tabs[target % tabs.length]?.choose()
    this.querySelectorAll<HTMLElement>('[role="tab"]')[target % tabs.length]?.focus()
  }
}

function toFieldTab(layout: LayoutController, pane: Pane, name: string): PaneTab {
  const choose = () => layout.show(pane)
  return { name, panelId: `pane-${pane}`, isChosen: layout.shows(pane), choose, title: name, count: 0 }
}

function toResultTab(
  layout: LayoutController,
  { view, index, run }: { readonly view: ResultView; readonly index: number; readonly run: RunState },
): PaneTab {
  const { name, count } = view
  return {
    name,
    panelId: `panel-${name}`,
    isChosen: layout.shows('results') && layout.result === index,
    choose: () => layout.showResult(index),
    title: `Alt+${index + 1}`,
    count: count?.(run) ?? 0,
  }
}

function viewTab({ name, panelId, isChosen, choose, title, count }: PaneTab) {
  return html`<button
    type="button"
    role="tab"
    id="tab-${name}"
    aria-selected=${isChosen}
    aria-controls=${panelId}
    tabindex=${isChosen ? 0 : -1}
    title=${title}
    @click=${choose}
  >${name}${count > 0 ? html` <span class="count">${count}</span>` : nothing}</button>`
}

customElements.define('pane-tabs', PaneTabs)
