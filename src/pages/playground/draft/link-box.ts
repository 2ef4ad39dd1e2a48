import { html, nothing } from 'lit'
import { copyText } from '../../shell/copy-text.ts'
import { PageElement } from '../../shell/page-element.ts'
import { type Fields, writeLink } from './link.ts'

/** Makes a link to the fields and copies it. Sends `link-made` with a note, or `link-refused` with the error. */
class LinkBox extends PageElement {
  static override properties = { read: { attribute: false }, link: { state: true } }
  /** Returns the fields as they are now. */
  declare read: () => Fields
  declare link: string | null
  /** Grows when a link that is being made is out of date. */
  #closings = 0

  constructor() {
    super()
    this.link = null
    this.addEventListener('keydown', event => this.#closeOnEscape(event))
  }

  /** Hides the link, because the fields are others by now. */
  close(): void {
    this.#closings++
    this.link = null
  }

  override render() {
    const view = (link: string) => html`<div class="link">
      <label for="link">Link</label>
      <input id="link" readonly .value=${link} @focus=${selectAll} />
    </div>`
    return html`<button type="button" @click=${this.#make}>Link</button>
      ${this.link === null ? nothing : view(this.link)}`
  }

  #make = async (): Promise<void> => {
    this.close()
    const closings = this.#closings
    try {
      const link = `${location.origin}/playground#${await writeLink(this.read())}`
      if (closings !== this.#closings) return
      this.link = link
      const detail = (await copyText(link)) ? 'Link copied' : 'Copy the link from its field'
      this.dispatchEvent(new CustomEvent('link-made', { detail }))
    } catch (detail) {
      this.dispatchEvent(new CustomEvent('link-refused', { detail }))
    }
  }

  #closeOnEscape(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || this.link === null) return
    this.close()
    this.querySelector('button')?.focus()
  }
}

function selectAll({ target }: Event): void {
  if (target instanceof HTMLInputElement) target.select()
}

customElements.define('link-box', LinkBox)

export type { LinkBox }
