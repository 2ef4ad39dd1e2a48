import { html } from 'lit'
import { ask, operation } from '../gateway/operation.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, viewEmpty, viewError, viewLoading } from '../shell/page-element.ts'

interface FunctionRow {
  readonly id: string
  readonly name: string
  readonly caseTypeCode: string | null
}

const listFunctions = operation<{ functions: { nodes: readonly FunctionRow[] } }>(
  `query ListFunctions { functions { nodes { id name caseTypeCode } } }`,
)
const findFunction = operation<{ function: FunctionRow | null }, { id: string }>(
  `query FindFunction($id: ID!) { function(id: $id) { id name caseTypeCode } }`,
)

/** The functions of the account, or the one that the path names. */
class FunctionsPage extends PageElement {
  static override properties = { rows: { state: true }, error: { state: true } }
  declare rows: readonly FunctionRow[] | null
  declare error: unknown
  readonly #id = location.pathname.split('/')[2] ?? null

  constructor() {
    super()
    this.rows = null
    this.error = null
    this.#load().catch((error: unknown) => {
      this.error = error
    })
  }

  async #load(): Promise<void> {
    if (this.#id === null) {
      this.rows = (await ask(listFunctions, {})).functions.nodes
      return
    }
    const row = (await ask(findFunction, { id: decodeURIComponent(this.#id) })).function
    if (row === null) throw new Error('There is no such function.')
    this.rows = [row]
  }

  override render() {
    const only = this.#id === null ? undefined : this.rows?.[0]
    return html`<div class="title-row">
        <h1>${only?.name ?? (this.#id === null ? 'Functions' : 'Function')}</h1>
        <a class="button" href="/playground">New</a>
      </div>
      ${viewError(this.error)}
      ${this.rows === null ? (this.error === null ? viewLoading() : '') : this.#viewRows(this.rows)}`
  }

  #viewRows(rows: readonly FunctionRow[]) {
    if (this.#id !== null) {
      return html`<p><a href="/playground?function=${this.#id}">Open in playground</a></p>`
    }
    if (rows.length === 0) {
      return viewEmpty(
        'No functions yet',
        html`Write a script in the <a href="/playground">playground</a> and save it.`,
      )
    }
    return html`<ul class="rows">
      ${rows.map(
        ({ id, name, caseTypeCode }) =>
          html`<li><a href="/functions/${id}">${name}</a><span>${caseTypeCode ?? 'all case types'}</span></li>`,
      )}
    </ul>`
  }
}

openPage({ element: 'functions-page', type: FunctionsPage })
