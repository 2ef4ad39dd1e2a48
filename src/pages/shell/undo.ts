import { html, nothing, type ReactiveControllerHost } from 'lit'
import { isSingleKey, type Key, keyOf } from './keys.ts'

const undoMs = 10_000

export const undoKeys: readonly Key[] = [{ keys: 'u', does: 'Undoes what was done last, for 10 s' }]

/** What was done, in words, and what undoes it. */
interface Undoable {
  readonly text: string
  /** `offerAgain` offers the same once more, unless something that was done meanwhile is offered. */
  readonly undo: (offerAgain: () => void) => void
}

/** Says what was done. For 10 s it can be undone, with a button or the key `u`. */
export class UndoController {
  #text = ''
  #undo: Undoable['undo'] | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #underWay = 0
  /** True from the beginning of an action until one is offered to be undone, or none is under way. */
  #isSaving = false
  readonly #host: ReactiveControllerHost

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    document.addEventListener('keydown', event => {
      // A key that is held would undo this, then undo the undoing, and so on.
      if (event.repeat || keyOf(event) !== 'u' || !this.#canUndo || !isSingleKey(event)) return
      event.preventDefault()
      this.#start()
    })
  }

  get #canUndo(): boolean {
    return this.#undo !== null && !this.#isSaving
  }

  offer({ text, undo }: Undoable): void {
    this.#isSaving = false
    this.#show(text, undo)
    this.#timer = setTimeout(() => this.#endOffer(text), undoMs)
  }

  /** Notes that an action begins. Shows `Saving…` instead of what was offered before. */
  begin(): void {
    this.#underWay++
    this.#isSaving = true
    if (this.#undo === null) this.#text = ''
    this.#host.requestUpdate()
  }

  /** Notes that an action has ended. After the last one, shows again what can still be undone. */
  end(): void {
    this.#underWay--
    if (this.#underWay === 0) this.#isSaving = false
    this.#host.requestUpdate()
  }

  view() {
    const button = html`<button type="button" @click=${this.#start}>Undo <kbd>u</kbd></button>`
    const said = this.#isSaving ? 'Saving…' : this.#text
    const text = said === '' ? nothing : html`<span>${said}</span>`
    return html`<div role="status" class="notice" tabindex="-1">${text}${this.#canUndo ? button : nothing}</div>`
  }

  /** Says on what was done. If the button has the focus, the words take it over. */
  async #endOffer(text: string): Promise<void> {
    const notice = document.activeElement?.closest<HTMLElement>('.notice')
    this.#show(text, null)
    await this.#host.updateComplete
    notice?.focus()
  }

  #start = (): void => {
    const [text, undo] = [this.#text, this.#undo]
    if (undo === null) return
    this.#show('', null)
    undo(() => {
      if (this.#undo === null) this.offer({ text, undo })
    })
  }

  #show(text: string, undo: Undoable['undo'] | null): void {
    clearTimeout(this.#timer)
    this.#text = text
    this.#undo = undo
    this.#host.requestUpdate()
  }
}
