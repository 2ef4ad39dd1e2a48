import { html, nothing, type ReactiveControllerHost } from 'lit'
import { isSingleKey, type Key, keyOf } from './keys.ts'

const undoMs = 10_000
const saving = 'Saving…'

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
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #host: ReactiveControllerHost

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    document.addEventListener('keydown', event => {
      if (keyOf(event) !== 'u' || this.#undo === null || !isSingleKey(event)) return
      event.preventDefault()
      this.#start()
    })
  }

  offer({ text, undo }: Undoable): void {
    this.#show(text, undo)
    this.#timer = setTimeout(() => this.#end(text), undoMs)
  }

  /** Says that something is being done. Ends with `offer`, or with `clear` if it failed. */
  wait(): void {
    this.#show(saving, null)
  }

  /** Takes back what `wait` says. What another action has offered meanwhile stays. */
  clear(): void {
    if (this.#text === saving) this.#show('', null)
  }

  view() {
    const button = html`<button type="button" @click=${this.#start}>Undo <kbd>u</kbd></button>`
    const text = this.#text === '' ? nothing : html`<span>${this.#text}</span>`
    return html`<div role="status" class="notice" tabindex="-1">${text}${this.#undo === null ? nothing : button}</div>`
  }

  /** Says on what was done. If the button has the focus, the words take it over. */
  async #end(text: string): Promise<void> {
    const notice = document.activeElement?.closest<HTMLElement>('.notice')
    this.#show(text, null)
    await this.#host.updateComplete
    notice?.focus()
  }

  #start = (): void => {
    const undo = this.#undo
    this.#show('', null)
    undo?.()
  }

  #show(text: string, undo: (() => void) | null): void {
    clearTimeout(this.#timer)
    this.#text = text
    this.#undo = undo
    this.#host.requestUpdate()
  }
}
