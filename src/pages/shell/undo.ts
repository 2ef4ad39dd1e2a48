import { html, nothing, type ReactiveControllerHost } from 'lit'
import { isSingleKey, type Key, keyOf } from './keys.ts'

const undoMs = 10_000

export const undoKeys: readonly Key[] = [{ keys: 'u', does: 'Undoes what was done last, for 10 s' }]

/** What was done, in words, and what undoes it. */
interface Undoable {
  readonly text: string
  readonly undo: () => void
}

/** Says what was done. For 10 s it can be undone, with a button or the key `u`. */
export class UndoController {
  #text = ''
  #undo: (() => void) | null = null
  /** What was undone last. */
  #undone: Undoable | null = null
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

  /** Offers again what was undone last, if that did not reach the gateway. */
  offerAgain(): void {
    if (this.#undone !== null) this.offer(this.#undone)
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
    this.#undone = { text, undo }
    this.#show('', null)
    undo()
  }

  #show(text: string, undo: (() => void) | null): void {
    clearTimeout(this.#timer)
    this.#text = text
    this.#undo = undo
    this.#host.requestUpdate()
  }
}
