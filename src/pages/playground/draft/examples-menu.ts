import { html } from 'lit'
import { PageElement } from '../../shell/page-element.ts'
import { type Example, examples } from './examples.ts'

/** A menu of scripts to begin with. Sends `choose-example` with the chosen one. */
class ExamplesMenu extends PageElement {
  static override properties = { isOpen: { state: true } }
  declare isOpen: boolean

  constructor() {
    super()
    this.isOpen = false
    this.addEventListener('keydown', event => this.#move(event))
    this.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !this.contains(relatedTarget)) this.isOpen = false
    })
  }

  override render() {
    const items = examples.map(
      example => html`<button type="button" role="menuitem" tabindex="-1" @click=${() => this.#choose(example)}>
        ${example.name}
      </button>`,
    )
    return html`<button
        type="button"
        aria-haspopup="menu"
        aria-expanded=${this.isOpen}
        @click=${() => this.#toggle(!this.isOpen)}
      >Examples</button>
      <div role="menu" aria-label="Examples" ?hidden=${!this.isOpen}>${items}</div>`
  }

  async #toggle(isOpen: boolean): Promise<void> {
    this.isOpen = isOpen
    await this.updateComplete
    if (isOpen) this.#items[0]?.focus()
    else this.querySelector('button')?.focus()
  }

  get #items(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('[role="menuitem"]')]
  }

  #move(event: KeyboardEvent): void {
    if (!this.isOpen) return
    const items = this.#items
    const current = items.indexOf(document.activeElement as HTMLElement)
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: items.length - 1,
    }
    const target = targets[event.key]
    if (target !== undefined) items.at(target % items.length)?.focus()
    else if (event.key === 'Escape') this.#toggle(false).catch(() => {})
    else return
    event.preventDefault()
  }

  #choose(detail: Example): void {
    this.#toggle(false).catch(() => {})
    this.dispatchEvent(new CustomEvent('choose-example', { detail }))
  }
}

customElements.define('examples-menu', ExamplesMenu)
