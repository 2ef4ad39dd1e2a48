import { html, nothing } from 'lit'
import { openPublicPage } from '../shell/open-page.ts'
import { PageElement, viewEmpty, viewError } from '../shell/page-element.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import { copyCode } from './copy-code.ts'
import { type Found, loadSearch, readWords, type Search } from './search-index.ts'

/** The search over all pages of the docs. Its results take the place of the page until the field is empty again. */
class DocsSearch extends PageElement {
  static override properties = {
    index: {},
    text: { state: true },
    found: { state: true },
    error: { state: true },
    notice: { state: true },
  }
  /** The address of the texts of all pages. They are loaded once the field is used. */
  declare index: string
  declare text: string
  declare found: readonly Found[] | null
  declare error: unknown
  declare notice: string
  #loading: Promise<Search> | null = null

  constructor() {
    super()
    this.index = ''
    this.text = new URLSearchParams(location.search).get('q') ?? ''
    this.found = null
    this.error = null
    this.notice = ''
    copyCode(notice => {
      if (readWords(this.text).length === 0) this.notice = notice
    })
  }

  override connectedCallback(): void {
    super.connectedCallback()
    if (this.text !== '') this.#search()
  }

  override render() {
    const isSearching = readWords(this.text).length > 0
    document.querySelector('#docs')?.toggleAttribute('hidden', isSearching)
    return html`<search class="docs-search">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search the docs"
          autocomplete="off"
          spellcheck="false"
          .value=${this.text}
          @focus=${this.#load}
          @input=${this.#onInput}
          @keydown=${this.#onKey}
        />
        <kbd aria-hidden="true">/</kbd>
      </search>
      <p role="status" class=${isSearching ? 'docs-count' : 'docs-status'}>${this.notice}</p>
      ${isSearching ? this.#viewResults() : nothing}`
  }

  #viewResults() {
    return html`<div class="docs-results">
      <h1>Search results</h1>
      ${viewError(this.error)} ${this.found === null ? viewNotLoaded(this.error) : nothing}
      ${this.found?.length === 0 ? viewEmpty('Nothing found', 'Try fewer or shorter words.') : nothing}
      <ol>
        ${this.found?.map(
          ({ path, page, heading, excerpt }) =>
            html`<li>
              <a href=${path}>${heading}</a>${heading === page ? nothing : html` <span>${page}</span>`}
              <p class="docs-excerpt">${this.#viewExcerpt(excerpt)}</p>
            </li>`,
        )}
      </ol>
    </div>`
  }

  #viewExcerpt(excerpt: string) {
    const words = readWords(this.text).map(word => RegExp.escape(word))
    return excerpt
      .split(new RegExp(`(${words.join('|')})`, 'i'))
      .map((part, index) => (index % 2 === 0 ? part : html`<mark>${part}</mark>`))
  }

  #load = (): Promise<Search> => {
    this.#loading ??= loadSearch(this.index).catch((error: unknown) => {
      this.#loading = null
      throw error
    })
    // The search shows the error. A field that only has the focus has nothing to show.
    this.#loading.catch(() => undefined)
    return this.#loading
  }

  #onInput = (event: InputEvent): void => {
    this.text = (event.target as HTMLInputElement).value
    this.#search()
  }

  #onKey = (event: KeyboardEvent): void => {
    // The key may end the composition of an input method.
    if (event.isComposing) return
    if (event.key === 'Enter') this.querySelector<HTMLElement>('.docs-results a')?.focus()
    if (event.key !== 'Escape' || this.text === '') return
    event.preventDefault()
    this.text = ''
    this.#search()
  }

  async #search(): Promise<void> {
    const { text } = this
    const address = new URL(location.href)
    if (text === '') address.searchParams.delete('q')
    else address.searchParams.set('q', text)
    history.replaceState(null, '', address)
    if (readWords(text).length === 0) {
      this.found = null
      this.notice = ''
      return
    }
    try {
      const search = await this.#load()
      if (text !== this.text) return
      this.error = null
      this.found = search(text)
      this.notice = this.found.length === 1 ? '1 result' : `${this.found.length} results`
    } catch (error) {
      this.error = error
    }
  }
}

openPublicPage({ element: 'docs-search', type: DocsSearch })
