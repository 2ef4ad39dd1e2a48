import { html } from 'lit'
import { ask, operation } from '../gateway/operation.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, viewEmpty, viewError, viewLoading } from '../shell/page-element.ts'

interface CaseRow {
  readonly id: string
  readonly caseTypeCode: string
  readonly version: number
  readonly updatedAt: string
}

const listCases = operation<{ cases: { nodes: readonly CaseRow[] } }>(
  `query ListCases { cases { nodes { id caseTypeCode version updatedAt } } }`,
)
const findCase = operation<{ case: (CaseRow & { readonly data: unknown }) | null }, { id: string }>(
  `query FindCase($id: ID!) { case(id: $id) { id caseTypeCode version updatedAt data } }`,
)

/** The cases of the account, or the one that the path names. */
class CasesPage extends PageElement {
  static override properties = { rows: { state: true }, text: { state: true }, error: { state: true } }
  declare rows: readonly CaseRow[] | null
  declare text: string
  declare error: unknown
  readonly #id = location.pathname.split('/')[2] ?? null

  constructor() {
    super()
    this.rows = null
    this.text = ''
    this.error = null
    this.#load().catch((error: unknown) => {
      this.error = error
    })
  }

  async #load(): Promise<void> {
    if (this.#id === null) {
      this.rows = (await ask(listCases, {})).cases.nodes
      return
    }
    const found = (await ask(findCase, { id: decodeURIComponent(this.#id) })).case
    if (found === null) throw new Error('There is no such case.')
    this.text = JSON.stringify(found.data, null, 2)
    this.rows = [found]
  }

  override render() {
    return html`<h1>${this.#id === null ? 'Cases' : 'Case'}</h1>
      ${viewError(this.error)}
      ${this.rows === null ? (this.error === null ? viewLoading() : '') : this.#viewRows(this.rows)}`
  }

  #viewRows(rows: readonly CaseRow[]) {
    if (this.#id !== null) return html`<pre class="box" tabindex="0" aria-label="Data">${this.text}</pre>`
    if (rows.length === 0) {
      return viewEmpty(
        'No cases yet',
        html`<a href="/docs/cases.md">Save the first case</a> over GraphQL or REST.`,
      )
    }
    return html`<ul class="rows">
      ${rows.map(
        ({ id, caseTypeCode, version }) =>
          html`<li><a href="/cases/${id}">${caseTypeCode} ${id}</a><span>version ${version}</span></li>`,
      )}
    </ul>`
  }
}

openPage({ element: 'cases-page', type: CasesPage })
