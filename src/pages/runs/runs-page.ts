import { html, nothing } from 'lit'
import { isCode } from '../gateway/gateway-error.ts'
import { ask } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { focusOpenedRow, handleListKeys, listKeys, loadMoreRows } from '../shell/list-keys.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, tryAction, viewEmpty, viewError, viewLoading, viewMore } from '../shell/page-element.ts'
import './dead-runs.ts'
import { LiveRuns, maxWaiting } from './live-runs.ts'
import './run-charts.ts'
import { type FunctionName, listFunctionNames, type RunFilter } from './run-documents.ts'
import {
  outcomes,
  type RunQuery,
  readQuery,
  toFilter,
  toLocalTime,
  toTime,
  triggers,
  writeAddress,
} from './run-query.ts'
import { viewRuns } from './view-runs.ts'

const settleMs = 300
// What the gateway may say to a filter, to a token that has expired or lost a scope, or to too many requests.
const refusals = ['BAD_USER_INPUT', 'UNAUTHENTICATED', 'FORBIDDEN', 'OVERLOADED']
const noQuery: RunQuery = { outcome: '', function: '', trigger: '', text: '', before: '' }

/** The runs that are kept, newest first, as they come. */
class RunsPage extends PageElement {
  static override properties = { query: { state: true }, functions: { state: true }, error: { state: true } }
  declare query: RunQuery
  declare functions: readonly FunctionName[]
  declare error: unknown
  readonly #live = new LiveRuns(this, () => this.#countSeen())
  #filter: RunFilter
  #settling: ReturnType<typeof setTimeout> | undefined
  #isOpened = false
  /** True once the functions are asked for, unless that failed. */
  #hasAsked = false

  constructor() {
    super()
    this.query = readQuery(location.search)
    this.functions = []
    this.error = null
    this.#filter = toFilter(this.query)
    handleListKeys()
    addEventListener('popstate', () => this.#show(readQuery(location.search)))
    if (allows('runs:read')) void this.#live.show(this.#filter)
    void this.#loadFunctions()
  }

  override render() {
    if (!allows('runs:read'))
      return html`<h1>Runs</h1>
        ${viewEmpty('You may not see runs', 'Your token lacks the scope runs:read. Ask for one that has it.')}`
    const { isPaused, waiting } = this.#live
    const count = waiting.size < maxWaiting ? waiting.size : `${maxWaiting}+`
    return html`<div class="title-row">
        <h1>Runs</h1>
        <div class="inline">
          <span role="status" class="quiet">${this.#describeState()}</span>
          <button type="button" aria-pressed=${isPaused} @click=${this.#toggle}>
            ${isPaused ? 'Resume' : 'Pause'}
          </button>
          ${isPaused && waiting.size > 0 ? html`<span class="count">${count} new</span>` : nothing}
        </div>
      </div>
      <run-charts .filter=${this.#filter}></run-charts>
      <dead-runs></dead-runs>
      ${this.#viewFilters()} ${viewError(this.error ?? this.#live.error)} ${this.#viewTable()}`
  }

  override updated(): void {
    if (this.#isOpened || this.#live.rows === null) return
    this.#isOpened = true
    tryAction(this, () => focusOpenedRow(count => this.#loadOlder(count)))
  }

  #countSeen(): number {
    const rows = [...this.querySelectorAll('a[data-row]')]
    return rows.findLastIndex(row => row.getBoundingClientRect().top < innerHeight) + 1
  }

  #describeState(): string {
    const { error } = this.#live
    if (refusals.some(code => isCode(error, code))) return 'Refused'
    if (error !== null) return 'Not connected'
    if (this.#live.isLoading) return 'Loading…'
    return this.#live.isPaused ? 'Paused' : 'Live'
  }

  #viewFilters() {
    const functions = this.functions.map(({ id, name, caseTypeCode }) => ({
      value: id,
      text: caseTypeCode === null ? name : `${caseTypeCode} / ${name}`,
    }))
    const asOptions = (values: readonly string[]) => values.map(value => ({ value, text: value }))
    return html`<form
      class="filters"
      role="search"
      @focusin=${this.#loadFunctions}
      @submit=${(event: Event) => event.preventDefault()}
    >
      ${this.#viewSelect('outcome', 'Outcome', asOptions(outcomes))}
      ${this.#viewSelect('function', 'Function', functions)}
      ${this.#viewSelect('trigger', 'Trigger', asOptions(triggers))}
      <label>
        Search
        <input
          type="search"
          placeholder="Id, case or name"
          autocomplete="off"
          spellcheck="false"
          .value=${this.query.text}
          @input=${this.#search}
        />
      </label>
      <label>
        Started before
        <input
          type="datetime-local"
          min="2000-01-01T00:00"
          max="9999-12-31T23:59"
          .value=${toLocalTime(this.query.before)}
          @input=${this.#chooseTime}
        />
      </label>
    </form>`
  }

  #viewSelect(
    name: 'outcome' | 'function' | 'trigger',
    title: string,
    options: readonly { readonly value: string; readonly text: string }[],
  ) {
    const chosen = this.query[name]
    const isUnknown = chosen !== '' && options.every(({ value }) => value !== chosen)
    const all = [
      { value: '', text: 'All' },
      ...options,
      ...(isUnknown ? [{ value: chosen, text: chosen }] : []),
    ]
    const choose = ({ currentTarget }: Event) =>
      this.#choose({ [name]: (currentTarget as HTMLSelectElement).value })
    return html`<label>
      ${title}
      <select @change=${choose}>
        ${all.map(({ value, text }) => html`<option value=${value} .selected=${value === chosen}>${text}</option>`)}
      </select>
    </label>`
  }

  #viewTable() {
    const { rows, hasMore } = this.#live
    if (rows === null) return this.#live.error === null ? viewLoading() : nothing
    if (rows.length > 0)
      return html`${viewRuns(rows)}
        ${viewMore(hasMore, this.#loadMore)}`
    if (Object.keys(this.#filter).length === 0)
      return viewEmpty('No runs yet', html`Run a script in the <a href="/playground">playground</a>.`)
    const clear = html`<button type="button" @click=${this.#showAll}>Show all runs</button>`
    return viewEmpty('No run fits these filters', clear)
  }

  #toggle = (): void => (this.#live.isPaused ? this.#live.resume() : this.#live.pause())

  get #textField(): HTMLInputElement | null {
    return this.querySelector('.filters input[type="search"]')
  }

  #search = (): void => {
    clearTimeout(this.#settling)
    this.#settling = setTimeout(() => this.#choose({}), settleMs)
  }

  // A year that is being typed is one of long ago at first.
  #chooseTime = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement) || !target.validity.valid) return
    this.#choose({ before: toTime(target.value) })
  }

  // The button that was pressed goes once runs are there.
  #showAll = (): void => {
    this.#choose(noQuery)
    this.querySelector<HTMLElement>('.filters select')?.focus()
  }

  // The text of the field may wait for the next letter still.
  #choose(changes: Partial<RunQuery>): void {
    const text = this.#textField?.value ?? ''
    const query = { ...this.query, text, ...changes }
    const address = writeAddress(query)
    if (address === location.pathname + location.search) return
    history.pushState(null, '', address)
    this.#show(query)
  }

  #show(query: RunQuery): void {
    clearTimeout(this.#settling)
    // What is typed, and waits for the next letter still, is not rendered yet, so rendering would not replace it.
    const field = this.#textField
    if (field !== null) field.value = query.text
    this.query = query
    this.#filter = toFilter(query)
    void this.#live.show(this.#filter)
  }

  #loadMore = (event: Event): void => tryAction(this, () => loadMoreRows(event, () => this.#loadOlder()))

  async #loadOlder(count?: number): Promise<boolean> {
    const isLonger = await this.#live.loadMore(count)
    await this.updateComplete
    return isLonger
  }

  // Without an answer, the next look at the filters asks again.
  #loadFunctions = async (): Promise<void> => {
    if (this.#hasAsked || !allows('functions:read')) return
    this.#hasAsked = true
    try {
      this.functions = (await ask(listFunctionNames, {})).functions.nodes
    } catch {
      this.#hasAsked = false
    }
  }
}

openPage({ element: 'runs-page', type: RunsPage, keys: listKeys, isLive: true })
