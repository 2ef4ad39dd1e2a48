import { html } from 'lit'
import { PageElement, viewEmpty } from '../../shell/page-element.ts'
import { viewText } from '../../shell/view-text.ts'
import { printExactTime } from '../../time/exact-time.ts'
import { type Draft, forgetDrafts, listDrafts } from './draft-store.ts'

/** Lists what this person wrote in this browser. Sends `open-draft` with the chosen draft, and `forget-drafts`. */
class DraftsDialog extends PageElement {
  static override properties = { drafts: { state: true } }
  declare drafts: readonly Draft[]

  constructor() {
    super()
    this.drafts = []
  }

  async show(): Promise<void> {
    this.drafts = listDrafts()
    await this.updateComplete
    this.querySelector('dialog')?.showModal()
  }

  override render() {
    const list = html`<ul class="rows drafts">${this.drafts.map(draft => this.#viewDraft(draft))}</ul>`
    return html`<dialog aria-labelledby="drafts-title">
      <h2 id="drafts-title">Drafts</h2>
      <p class="quiet">This browser keeps them until you forget them. Nobody else who signs in here sees them.</p>
      ${this.drafts.length === 0 ? viewEmpty('No drafts', 'What you write is kept here by itself.') : list}
      <div class="actions">
        <button type="button" ?disabled=${this.drafts.length === 0} @click=${this.#forget}>Forget drafts</button>
        <button type="button" class="main" @click=${this.#close}>Close</button>
      </div>
    </dialog>`
  }

  #viewDraft(draft: Draft) {
    const [firstLine = ''] = draft.script.trimStart().split('\n', 1)
    const name = draft.function?.name ?? (firstLine.slice(0, 60) || 'empty script')
    return html`<li>
      <button type="button" class="draft" @click=${() => this.#open(draft)}>
        <code dir="auto">${viewText(name)}</code> <span>${printExactTime(new Date(draft.at))}</span>
      </button>
    </li>`
  }

  #close = (): void => this.querySelector('dialog')?.close()

  #open(detail: Draft): void {
    this.#close()
    this.dispatchEvent(new CustomEvent('open-draft', { detail }))
  }

  #forget = (): void => {
    forgetDrafts()
    this.drafts = []
    // The button that was pressed is disabled now.
    this.querySelector<HTMLElement>('.main')?.focus()
    this.dispatchEvent(new Event('forget-drafts'))
  }
}

customElements.define('drafts-dialog', DraftsDialog)

export type { DraftsDialog }
