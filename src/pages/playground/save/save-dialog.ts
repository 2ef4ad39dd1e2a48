import { html, nothing } from 'lit'
import { isCode } from '../../gateway/gateway-error.ts'
import { fillForm, forgetForm, keepForm } from '../../gateway/kept-form.ts'
import { ask } from '../../gateway/operation.ts'
import type { OpenFunction } from '../../shell/open-in-playground.ts'
import { PageElement, scrollToAlert, viewError } from '../../shell/page-element.ts'
import { functionToOpen, type StoredFunction, saveVersion, toOpen } from './function-documents.ts'
import { showFirstDifference, viewBoth } from './view-both.ts'

/** What to save, and what to do then. */
export interface SaveRequest {
  readonly script: string
  readonly function: OpenFunction | null
  /** The id of the draft; null before its first change. */
  readonly draft: string | null
  readonly onSaved: (saved: StoredFunction) => void
  /** Called with the error if nothing was saved and the dialog was closed meanwhile. */
  readonly onFailed: (error: unknown) => void
  /** Called with the live version if the person prefers it. */
  readonly onTakeTheirs: (theirs: StoredFunction) => void
}

interface Named {
  readonly name: string
  readonly caseTypeCode: string | null
  readonly comment: string | null
}

const notLive = new Error('Nothing was saved: another version is live. “Save” shows both.')

/** Asks for the name of a new function and a comment, and what to do if somebody else saved meanwhile. */
class SaveDialog extends PageElement {
  static override properties = {
    request: { state: true },
    theirs: { state: true },
    error: { state: true },
    isBusy: { state: true },
  }
  declare request: SaveRequest | null
  /** The live version, if it is not the one that was opened. */
  declare theirs: StoredFunction | null
  declare error: unknown
  declare isBusy: boolean
  #named: Named | null = null
  /** Grows whenever the dialog opens. */
  #openings = 0

  constructor() {
    super()
    this.request = null
    this.theirs = null
    this.error = null
    this.isBusy = false
  }

  async ask(request: SaveRequest): Promise<void> {
    const isSame =
      this.request?.function?.id === request.function?.id &&
      (request.function !== null || this.request?.draft === request.draft)
    this.request = request
    this.#openings += 1
    this.theirs = null
    this.error = null
    await this.updateComplete
    const form = this.querySelector('form') as HTMLFormElement
    // What was typed here and not saved stays for the same function, or the same new script.
    if (!isSame) form.reset()
    fillForm(formName(request), form)
    this.#dialog.showModal()
  }

  get #dialog(): HTMLDialogElement {
    return this.querySelector('dialog') as HTMLDialogElement
  }

  override render() {
    const { request, theirs } = this
    const title = theirs === null ? 'Save' : 'Another version is live'
    const view = (request: SaveRequest) =>
      theirs === null ? this.#viewForm(request) : this.#viewConflict(request, theirs)
    return html`<dialog class=${this.theirs === null ? '' : 'wide'} aria-labelledby="save-title">
      <h2 id="save-title" tabindex=${theirs === null ? nothing : -1}>${title}</h2>
      ${request === null ? nothing : view(request)}
    </dialog>`
  }

  #viewForm(request: SaveRequest) {
    const { function: open } = request
    const keep = (event: Event) => keepForm(formName(request), event)
    const names = html`<label for="save-name">Name</label>
      <input id="save-name" name="name" required autocomplete="off" spellcheck="false" />
      <label for="save-type">Case type</label>
      <input id="save-type" name="caseType" autocomplete="off" spellcheck="false" aria-describedby="save-note" />
      <p id="save-note" class="quiet">Leave it empty for a function of all case types.</p>`
    return html`<form @submit=${this.#submit} @input=${keep}>
      ${open === null ? names : html`<p>A new version of <strong>${open.name}</strong> becomes live.</p>`}
      <label for="save-comment">Comment</label>
      <input id="save-comment" name="comment" autocomplete="off" />
      ${viewError(this.error)}
      <div class="actions">
        <button type="button" @click=${() => this.#cancel(request)}>Cancel</button>
        <button class="main" aria-disabled=${this.isBusy}>Save</button>
      </div>
    </form>`
  }

  #viewConflict({ script }: SaveRequest, theirs: StoredFunction) {
    return html`<p>Nothing was saved: another version became live after you opened this one.</p>
      ${viewBoth(script, theirs.live.sourceCode)}
      ${viewError(this.error)}
      <div class="actions">
        <button type="button" @click=${this.#close}>Cancel</button>
        <button type="button" @click=${() => this.#takeTheirs(theirs)}>Take theirs</button>
        <button type="button" class="main" aria-disabled=${this.isBusy} @click=${() => this.#save(theirs.live.hash)}>
          Save mine
        </button>
      </div>`
  }

  #close = (): void => this.#dialog.close()

  // Escape keeps what was typed, and so does a save that may fail still.
  #cancel(request: SaveRequest): void {
    if (!this.isBusy) {
      forgetForm(formName(request))
      this.querySelector('form')?.reset()
    }
    this.#close()
  }

  #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const open = this.request?.function ?? null
    const given = new FormData(event.currentTarget as HTMLFormElement)
    const textOf = (name: string) => String(given.get(name) ?? '').trim()
    this.#named = {
      name: open?.name ?? textOf('name'),
      caseTypeCode: open === null ? textOf('caseType') || null : open.caseTypeCode,
      comment: textOf('comment') || null,
    }
    await this.#save(open?.baseHash ?? null)
  }

  /** Saves if the version with this hash is live; if null, if there is no such function. */
  async #save(liveHash: string | null): Promise<void> {
    const { request } = this
    const openings = this.#openings
    if (request === null || this.#named === null || this.isBusy) return
    this.error = null
    this.isBusy = true
    try {
      const ifLive = liveHash === null ? [] : [liveHash]
      const saved = await saveVersion({ ...this.#named, sourceCode: request.script, ifLive })
      this.#noteSaved(request, saved)
      request.onSaved(saved)
    } catch (error) {
      await this.#explain(request, error)
      void scrollToAlert(this)
      const isSame = openings === this.#openings
      if (isSame && !this.#dialog.open) request.onFailed(this.error ?? notLive)
    } finally {
      this.isBusy = false
    }
  }

  // While a save is slow, a person may close the dialog and open it again, for this script or another one.
  #noteSaved(request: SaveRequest, saved: StoredFunction): void {
    forgetForm(formName(request))
    if (this.request === request) {
      this.#close()
      this.querySelector('form')?.reset()
    } else if (this.request?.draft === request.draft)
      this.request = { ...this.request, function: toOpen(saved) }
  }

  /** Shows the error of a save, unless the dialog asks for another save by now. */
  async #explain(request: SaveRequest, error: unknown): Promise<void> {
    if (this.request !== request) return
    const { function: open } = request
    this.error = error
    if (!isCode(error, 'PRECONDITION_FAILED')) return
    if (open === null) {
      const advice = 'Choose another name, or open that function and change it there.'
      this.error = new Error(`There is a function with this name and case type already. ${advice}`)
      return
    }
    const found = await ask(functionToOpen, { id: open.id }).catch(() => null)
    if (this.request !== request) return
    if (found === null) {
      this.error = new Error(
        'Nothing was saved: another version is live, and it could not be loaded. Try again.',
      )
      return
    }
    if (found.function === null) return this.#askForNew(request, open)
    this.theirs = found.function
    this.error = null
    await this.updateComplete
    // The button that was pressed is gone. A second Enter must choose nothing.
    this.querySelector('h2')?.focus()
    showFirstDifference(this)
  }

  /** Asks for a function with this script in place of the one that is gone. */
  async #askForNew(request: SaveRequest, { name, caseTypeCode }: OpenFunction): Promise<void> {
    const wasConflict = this.theirs !== null
    forgetForm(formName(request))
    this.request = { ...request, function: null }
    this.theirs = null
    this.error = new Error(`Nothing was saved: ${name} was removed meanwhile. “Save” makes it again.`)
    await this.updateComplete
    const fill = (id: string, text: string) => {
      const field = this.querySelector<HTMLInputElement>(id)
      if (field !== null) field.value = text
    }
    fill('#save-name', name)
    fill('#save-type', caseTypeCode ?? '')
    if (!wasConflict) return
    // The form is a new one, and the button that was pressed is gone.
    fill('#save-comment', this.#named?.comment ?? '')
    this.querySelector<HTMLElement>('#save-name')?.focus()
  }

  #takeTheirs(theirs: StoredFunction): void {
    this.#close()
    if (this.request === null) return
    forgetForm(formName(this.request))
    this.request.onTakeTheirs(theirs)
  }
}

const formName = ({ function: open, draft }: SaveRequest) => `save.${open?.id ?? draft}`

customElements.define('save-dialog', SaveDialog)

export type { SaveDialog }
