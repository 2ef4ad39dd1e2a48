import type { ReactiveControllerHost } from 'lit'

/** What a narrow page shows, one at a time. A wide page shows all of them. */
export type Pane = 'script' | 'input' | 'results'

/** Knows what is shown: all panes where there is room, else one, and one of the results. */
export class LayoutController {
  /** The number of the result that is shown, from 0. */
  result = 0
  #pane: Pane = 'script'
  readonly #narrow = matchMedia('(width < 60rem)')
  readonly #host: ReactiveControllerHost

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    this.#narrow.addEventListener('change', () => this.#change())
  }

  // The tabs and the run bar stand elsewhere then, as other elements. The one that takes the place of what had the
  // focus has its id. A wide page has no tab of a field, so the chosen result takes the focus over.
  async #change(): Promise<void> {
    const id = document.activeElement?.id ?? ''
    this.#host.requestUpdate()
    await this.#host.updateComplete
    await new Promise(requestAnimationFrame)
    if (id === '' || document.activeElement !== document.body) return
    const same = document.getElementById(id) ?? document.querySelector<HTMLElement>('[aria-selected="true"]')
    same?.focus()
  }

  get isNarrow(): boolean {
    return this.#narrow.matches
  }

  /** The role of a pane with fields. */
  get role(): 'tabpanel' | 'region' {
    return this.isNarrow ? 'tabpanel' : 'region'
  }

  /** True if the pane can be seen. */
  shows(pane: Pane): boolean {
    return !this.isNarrow || this.#pane === pane
  }

  show(pane: Pane): void {
    this.#pane = pane
    this.#host.requestUpdate()
  }

  /** Shows a result by its number, from 0. */
  showResult(index: number): void {
    this.result = index
    this.show('results')
  }
}
