import { html } from 'lit'
import { copyText } from './copy-text.ts'
import { PageElement } from './page-element.ts'

const saidMs = 2_000

/** A button that copies a text, and says so. */
class CopyButton extends PageElement {
  static override properties = { text: { attribute: false }, what: {}, note: { state: true } }
  declare text: string
  /** What is copied, for the name of the button; empty if its place says it. */
  declare what: string
  declare note: string
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.text = ''
    this.what = ''
    this.note = ''
  }

  override render() {
    return html`<button type="button" class="plain" @click=${this.#copy}>
        Copy${this.what === '' ? '' : html` <span class="unseen">${this.what}</span>`}
      </button>
      <span role="status" class="quiet">${this.note}</span>`
  }

  #copy = async (): Promise<void> => {
    const isCopied = await copyText(this.text)
    this.note = isCopied ? 'Copied' : 'The browser refused. Select the text and copy it.'
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.note = ''
    }, saidMs)
  }
}

customElements.define('copy-button', CopyButton)
