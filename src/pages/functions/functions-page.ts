import { html, nothing } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { ask } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { viewAuthor } from '../results/view-author.ts'
import { focusOpenedRow, handleListKeys, listKeys } from '../shell/list-keys.ts'
import { openInPlayground } from '../shell/open-in-playground.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, tryAction, viewEmpty, viewError } from '../shell/page-element.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import { viewTime } from '../time/view-time.ts'
import { type FunctionRow, listFunctions } from './function-documents.ts'

/** The functions of the account. */
class FunctionsPage extends PageElement {
  static override properties = {
    rows: { state: true },
    isComplete: { state: true },
    text: { state: true },
    error: { state: true },
  }
  /** By name. */
  declare rows: readonly FunctionRow[] | null
  /** False while more are loading. */
  declare isComplete: boolean
  declare text: string
  declare error: unknown
  #isOpened = false

  constructor() {
    super()
    this.rows = null
    this.isComplete = false
    this.error = null
    this.text = new URLSearchParams(location.search).get('text') ?? ''
    handleListKeys()
    tryAction(this, () => this.#load())
  }

  override updated(): void {
    if (this.#isOpened || !this.isComplete) return
    this.#isOpened = true
    tryAction(this, () => focusOpenedRow())
  }

  // An account has at most 1,000 functions, so the search is made here.
  async #load(): Promise<void> {
    let after: string | null = null
    do {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(after)
      this.rows = [...(this.rows ?? []), ...page.nodes].sort(compareNames)
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
    } while (after !== null)
    this.isComplete = true
  }

  override render() {
    const search = html`<form class="inline" role="search" @submit=${(event: Event) => event.preventDefault()}>
      <label>
        Search
        <input type="search" autocomplete="off" spellcheck="false" .value=${this.text} @input=${this.#search} />
      </label>
    </form>`
    const add = html`<a class="button main" href="/playground" @click=${this.#openNew}>New</a>`
    return html`<div class="title-row">
        <h1>Functions</h1>
        ${allows('functions:write') ? add : nothing}
      </div>
      ${search} ${viewError(this.error)}
      ${this.rows === null ? viewNotLoaded(this.error) : this.#viewRows(this.rows)}`
  }

  #viewRows(all: readonly FunctionRow[]) {
    const wanted = this.text.trim().toLowerCase()
    const rows = all.filter(({ name, caseTypeCode }) =>
      `${caseTypeCode ?? ''} / ${name}`.toLowerCase().includes(wanted),
    )
    if (all.length === 0)
      return viewEmpty(
        'No functions yet',
        html`Write a script in the <a href="/playground">playground</a> and save it.`,
      )
    const loading = this.isComplete ? nothing : viewNotLoaded(this.error)
    if (rows.length === 0)
      return this.isComplete
        ? viewEmpty('No function has this name', 'Search for a part of its name or case type.')
        : loading
    return html`<ul class="rows" aria-label="Functions">
        ${repeat(rows, ({ id }) => id, viewRow)}
      </ul>
      ${loading}`
  }

  // The draft of this tab stays among the drafts.
  #openNew = (event: MouseEvent): void => {
    // With a key, the browser opens the playground in a tab or window of its own.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    this.error = openInPlayground({
      fields: { script: 'exit(payload)\n', input: '{}', options: '{}' },
      notice: 'A new script: save it to give it a name',
    })
  }

  #search = ({ target }: Event): void => {
    this.text = target instanceof HTMLInputElement ? target.value : ''
    const query = this.text === '' ? '' : `?text=${encodeURIComponent(this.text)}`
    history.replaceState(null, '', `/functions${query}`)
  }
}

const { compare } = new Intl.Collator('en', { numeric: true })

function compareNames(one: FunctionRow, other: FunctionRow): number {
  return compare(one.name, other.name) || compare(one.caseTypeCode ?? '', other.caseTypeCode ?? '')
}

async function readPage(after: string | null) {
  return (await ask(listFunctions, { after })).functions
}

function viewRow({ id, name, caseTypeCode, live }: FunctionRow) {
  return html`<li>
    <span class="function-name">
      <a data-row href="/functions/${id}">${name}</a> ${caseTypeCode ?? 'all case types'}
    </span>
    <span>${viewTime(live.at)} by ${viewAuthor(live)}</span>
  </li>`
}

openPage({ element: 'functions-page', type: FunctionsPage, keys: listKeys })
