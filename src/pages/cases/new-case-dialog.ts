import { html } from 'lit'
import { fillForm, forgetForm, keepForm } from '../gateway/kept-form.ts'
import { askOnce } from '../gateway/operation.ts'
import { PageElement, showError, viewError } from '../shell/page-element.ts'
import { createCase } from './case-documents.ts'
import { parseObject } from './parse-object.ts'

/** The name under which the form is kept. */
const formName = 'case.new'

/** Asks for a new case, saves it and opens it. Sends `not-created` with the error if it was closed meanwhile. */
class NewCaseDialog extends PageElement {
  static override properties = {
    types: { attribute: false },
    type: { attribute: false },
    error: { state: true },
    isBusy: { state: true },
  }
  declare types: readonly string[]
  declare type: string
  declare error: unknown
  declare isBusy: boolean

  constructor() {
    super()
    this.types = []
    this.type = ''
    this.error = null
    this.isBusy = false
  }

  ask(): void {
    this.error = null
    this.isBusy = false
    fillForm(formName, this.#form)
    this.querySelector('dialog')?.showModal()
  }

  get #form(): HTMLFormElement {
    return this.querySelector('form') as HTMLFormElement
  }

  #read(): { readonly type: string; readonly data: string } {
    const given = new FormData(this.#form)
    return { type: String(given.get('type')), data: String(given.get('data')) }
  }

  override render() {
    return html`<dialog aria-labelledby="new-case-title">
      <h2 id="new-case-title">New case</h2>
      <form @submit=${this.#submit} @input=${(event: Event) => keepForm(formName, event)}>
        <label for="new-type">Case type</label>
        <input
          id="new-type"
          name="type"
          list="known-types"
          required
          autocomplete="off"
          spellcheck="false"
          value=${this.type}
        />
        <datalist id="known-types">${this.types.map(code => html`<option value=${code}></option>`)}</datalist>
        <label for="new-data">Data of the new case</label>
        <textarea id="new-data" name="data" class="json" rows="8" spellcheck="false">{}</textarea>
        ${viewError(this.error)}
        <div class="actions">
          <button type="button" @click=${this.#cancel}>Cancel</button>
          <button class="main" aria-disabled=${this.isBusy}>Create</button>
        </div>
      </form>
    </dialog>`
  }

  // Escape keeps what was typed.
  #cancel = (): void => {
    forgetForm(formName)
    this.#form.reset()
    this.querySelector('dialog')?.close()
  }

  #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (this.isBusy) return
    const typed = this.#read()
    this.error = null
    this.isBusy = true
    try {
      const data = parseObject(typed.data, 'Data')
      const input = { caseTypeCode: typed.type.trim(), data }
      const { saveCase: change } = await askOnce(createCase, { input })
      // The dialog may have been opened again meanwhile, for another case.
      const now = this.#read()
      if (typed.type === now.type && typed.data === now.data) forgetForm(formName)
      // It stays busy: the next page may come slowly, and Enter would create another case meanwhile.
      location.assign(`/cases/${change.case.id}`)
    } catch (error) {
      this.isBusy = false
      void showError(this, error)
      // Nobody sees it in a dialog that was closed meanwhile.
      const isOpen = this.querySelector('dialog')?.open === true
      if (!isOpen) this.dispatchEvent(new CustomEvent('not-created', { detail: error }))
    }
  }
}

customElements.define('new-case-dialog', NewCaseDialog)

export type { NewCaseDialog }
