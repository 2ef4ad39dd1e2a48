import { html, nothing } from 'lit'
import { PageElement, viewEmpty } from '../../shell/page-element.ts'
import { viewText } from '../../shell/view-text.ts'
import { printExactTime } from '../../time/exact-time.ts'
import { type Draft, listDrafts, removeDraft, restoreDraft } from './draft-store.ts'
import type { WorkingDraft } from './working-draft.ts'

/** Lists what this person wrote in this browser. Sends `open-draft` with the chosen draft. */
class DraftsDialog extends PageElement {
  static override properties = {
    working: { attribute: false },
    drafts: { state: true },
    forgotten: { state: true },
    isFull: { state: true },
  }
  /** The draft of this tab. */
  declare working: WorkingDraft
  declare drafts: readonly Draft[]
  /** What was forgotten since the dialog was opened. */
  declare forgotten: readonly Draft[]
  /** True if the browser has no room for what was to come back. */
  declare isFull: boolean

  constructor() {
    super()
    this.drafts = []
    this.forgotten = []
    this.isFull = false
  }

  async show(): Promise<void> {
    this.#show([])
    await this.updateComplete
    this.querySelector('dialog')?.showModal()
  }

  override render() {
    const list = html`<ul class="rows drafts">${this.drafts.map(draft => this.#viewDraft(draft))}</ul>`
    return html`<dialog aria-labelledby="drafts-title">
      <h2 id="drafts-title">Drafts</h2>
      <p class="quiet">This browser keeps them until you forget them. Nobody else who signs in here sees them.</p>
      ${this.#viewForgotten()}
      ${this.drafts.length === 0 ? viewEmpty('No drafts', 'What you write is kept here by itself.') : list}
      <div class="actions">
        <button type="button" ?disabled=${this.drafts.length === 0} @click=${this.#forgetAll}>Forget drafts</button>
        <button type="button" class="main" @click=${this.#close}>Close</button>
      </div>
    </dialog>`
  }

  #viewForgotten() {
    const count = this.forgotten.length
    const end = this.isFull ? ' not brought back: this browser is full' : ' forgotten'
    const text = html`<span>${count === 1 ? 'One draft' : `${count} drafts`}${end}</span>
      <button type="button" @click=${this.#undo}>Undo</button>`
    return html`<div role="status" class="notice">${count === 0 ? nothing : text}</div>`
  }

  #viewDraft(draft: Draft) {
    const [firstLine = ''] = draft.script.trimStart().split('\n', 1)
    const name = draft.function?.name ?? (firstLine.slice(0, 60) || 'empty script')
    const nameId = `draft-${draft.id}`
    return html`<li>
      <button type="button" class="draft" @click=${() => this.#open(draft)}>
        <code id=${nameId} dir="auto">${viewText(name)}</code> <span>${printExactTime(new Date(draft.at))}</span>
      </button>
      <button type="button" aria-describedby=${nameId} @click=${() => this.#forgetOne(draft)}>Forget</button>
    </li>`
  }

  #close = (): void => this.querySelector('dialog')?.close()

  #open(detail: Draft): void {
    this.#close()
    this.dispatchEvent(new CustomEvent('open-draft', { detail }))
  }

  #forgetAll = (): void => {
    this.#forget(listDrafts(), true)
    // The button that was pressed is disabled now.
    this.#focusClose()
  }

  async #forgetOne(draft: Draft): Promise<void> {
    const place = this.drafts.indexOf(draft)
    // Another tab may have changed it since the dialog was opened.
    const now = listDrafts().filter(({ id }) => id === draft.id)
    this.#forget(now, draft.id === this.working.id || this.working.hasOnlyCopy)
    await this.updateComplete
    // The button that was pressed is gone.
    const buttons = this.querySelectorAll<HTMLElement>('li > :last-child')
    if (buttons.length === 0) this.#focusClose()
    else buttons[Math.min(place, buttons.length - 1)]?.focus()
  }

  #forget(drafts: readonly Draft[], isOfTab: boolean): void {
    for (const draft of drafts) removeDraft(draft)
    if (isOfTab) this.working.forget()
    this.#show([...this.forgotten, ...drafts])
  }

  #undo = (): void => {
    this.working.restore(this.forgotten)
    this.#show(this.forgotten.filter(draft => !restoreDraft(draft)))
    this.isFull = this.forgotten.length > 0
    this.#focusClose()
  }

  #show(forgotten: readonly Draft[]): void {
    this.drafts = listDrafts()
    this.forgotten = forgotten
    this.isFull = false
  }

  #focusClose(): void {
    this.querySelector<HTMLElement>('.main')?.focus()
  }
}

customElements.define('drafts-dialog', DraftsDialog)

export type { DraftsDialog }
