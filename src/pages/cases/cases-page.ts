import { html, nothing } from 'lit'
import { isCode } from '../gateway/gateway-error.ts'
import { fillForm, forgetForm, keepForm } from '../gateway/kept-form.ts'
import { ask } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { focusOpenedRow, handleListKeys, listKeys, loadMoreRows } from '../shell/list-keys.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, showError, tryAction, viewEmpty, viewError, viewMore } from '../shell/page-element.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import { viewTime } from '../time/view-time.ts'
import { type CasePage, type CaseRow, listCases, listCaseTypes } from './case-documents.ts'
import type { NewCaseDialog } from './new-case-dialog.ts'
import './new-case-dialog.ts'

/** The name under which the form that opens a case is kept. */
const openForm = 'case.open'
const pageSize = 100

/** The cases of the account, newest first, of all types or one. */
class CasesPage extends PageElement {
  static override properties = {
    page: { state: true },
    types: { state: true },
    type: { state: true },
    error: { state: true },
  }
  declare page: CasePage | null
  declare types: readonly string[]
  /** Empty for all types. */
  declare type: string
  declare error: unknown
  #isOpened = false
  /** Grows with each choice of a type: only the answer to the last one is shown. */
  #generation = 0

  constructor() {
    super()
    this.page = null
    this.types = []
    this.type = readType()
    this.error = null
    handleListKeys()
    addEventListener('popstate', () => this.#show(readType()))
    this.#show(this.type)
    tryAction(this, async () => {
      this.types = (await ask(listCaseTypes, {})).caseTypes.map(({ code }) => code)
    })
  }

  override firstUpdated(): void {
    const form = this.querySelector<HTMLFormElement>('form[role="search"]')
    if (form !== null) fillForm(openForm, form)
  }

  override updated(): void {
    if (this.#isOpened || this.page === null) return
    this.#isOpened = true
    // Unlike an action of the person, it clears no error, such as that of the types.
    focusOpenedRow(count => this.#loadOlder(count)).catch((error: unknown) => showError(this, error))
  }

  override render() {
    const types = [...new Set([...this.types, ...(this.type === '' ? [] : [this.type])])]
    const options = [{ value: '', text: 'All' }, ...types.map(code => ({ value: code, text: code }))]
    const add = html`<button type="button" class="main" @click=${this.#add}>New case</button>`
    return html`<div class="title-row">
        <h1>Cases</h1>
        ${allows('cases:write') ? add : nothing}
      </div>
      <form class="inline" role="search" @submit=${this.#open} @input=${(event: Event) => keepForm(openForm, event)}>
        <label>
          Type
          <select @change=${this.#choose}>
            ${options.map(
              ({ value, text }) =>
                html`<option value=${value} .selected=${value === this.type}>${text}</option>`,
            )}
          </select>
        </label>
        <label>
          Open case
          <input type="search" name="id" inputmode="numeric" placeholder="Id" autocomplete="off" />
        </label>
      </form>
      ${viewError(this.error)}
      ${this.page === null ? viewNotLoaded(this.error) : this.#viewRows(this.page)}
      <new-case-dialog .types=${types} .type=${this.type} @not-created=${this.#showNotCreated}></new-case-dialog>`
  }

  #viewRows({ nodes, pageInfo }: CasePage) {
    if (nodes.length === 0) {
      const advice = allows('cases:write')
        ? 'Press “New case”, or send one over REST or GraphQL.'
        : 'Nobody has saved one yet.'
      return viewEmpty(this.type === '' ? 'No cases yet' : `No cases of type ${this.type}`, advice)
    }
    return html`<ul class="rows" aria-label="Cases">
        ${nodes.toReversed().map(viewRow)}
      </ul>
      ${viewMore(pageInfo.hasPreviousPage, this.#loadMore)}`
  }

  #choose = ({ target }: Event): void => {
    const type = target instanceof HTMLSelectElement ? target.value : ''
    history.pushState(null, '', type === '' ? '/cases' : `/cases?type=${encodeURIComponent(type)}`)
    this.#show(type)
  }

  // The policy of the page lets no form leave by itself.
  #open = (event: SubmitEvent): void => {
    event.preventDefault()
    const id = String(new FormData(event.currentTarget as HTMLFormElement).get('id') ?? '').trim()
    if (id === '') return
    forgetForm(openForm)
    location.assign(`/cases/${encodeURIComponent(id)}`)
  }

  #add = (): void => {
    this.querySelector<NewCaseDialog>('new-case-dialog')?.ask()
  }

  #showNotCreated = ({ detail }: CustomEvent<unknown>): void => tryAction(this, () => Promise.reject(detail))

  // The cases of another type are not shown meanwhile, and neither is an error that comes late.
  #show(type: string): void {
    if (type !== this.type) this.page = null
    this.type = type
    const generation = ++this.#generation
    tryAction(this, async () => {
      try {
        const page = await readPage(type, null)
        if (generation === this.#generation) this.page = page
      } catch (error) {
        if (generation === this.#generation) throw explain(error, type)
      }
    })
  }

  // A press while older rows are on their way asks again: they belong only to the rows that they were asked for.
  #loadMore = (event: Event): void => tryAction(this, () => loadMoreRows(event, () => this.#loadOlder()))

  async #loadOlder(count = pageSize): Promise<boolean> {
    const { page: shown, type } = this
    if (shown === null || !shown.pageInfo.hasPreviousPage) return false
    const { nodes, pageInfo } = await readPage(type, shown.pageInfo.startCursor, count)
    if (this.page !== shown) return false
    this.page = { nodes: [...nodes, ...shown.nodes], pageInfo }
    await this.updateComplete
    return true
  }
}

const readType = () => new URLSearchParams(location.search).get('type') ?? ''

async function readPage(type: string, before: string | null, count = pageSize): Promise<CasePage> {
  const filter = type === '' ? {} : { caseTypeCode: type }
  return (await ask(listCases, { filter, last: Math.max(pageSize, count), before })).cases
}

// The gateway names the field of its API, which a person never saw.
function explain(error: unknown, type: string): unknown {
  if (type === '' || !isCode(error, 'BAD_USER_INPUT')) return error
  return new Error(`No case type can have the name “${type}”. Choose another one.`)
}

function viewRow({ id, caseTypeCode, version, updatedAt }: CaseRow) {
  return html`<li>
    <span class="case-name"><a data-row href="/cases/${id}">Case ${id}</a> ${caseTypeCode}</span>
    <span>version ${version}, ${viewTime(updatedAt)}</span>
  </li>`
}

openPage({ element: 'cases-page', type: CasesPage, keys: listKeys })
