import { html, nothing } from 'lit'
import { ask } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { handleItemKeys, itemKeys } from '../shell/list-keys.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, setTitle, tryAction, viewError } from '../shell/page-element.ts'
import { readNumericId } from '../shell/read-id.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import { type FunctionRow, findFunction, type VersionPage } from './function-documents.ts'
import './function-triggers.ts'
import './version-list.ts'

type FoundFunction = FunctionRow & { readonly versions: VersionPage }

/** The function that the path names: its versions, and what runs it. */
class FunctionPage extends PageElement {
  static override properties = { found: { state: true }, error: { state: true } }
  declare found: FoundFunction | null
  declare error: unknown

  constructor() {
    super()
    this.found = null
    this.error = null
    handleItemKeys('/functions')
    tryAction(this, () => this.#load())
  }

  async #load(): Promise<void> {
    const id = readNumericId()
    this.found = id === null ? null : (await ask(findFunction, { id, after: null })).function
    if (this.found === null) throw new Error('There is no such function. It may have been removed.')
    setTitle(this.found.name)
  }

  override render() {
    const back = html`<p class="back"><a href="/functions">Functions</a></p>`
    if (this.found === null)
      return html`${back}
        <h1>Function</h1>
        ${viewError(this.error)} ${viewNotLoaded(this.error)}`
    const { id, name, caseTypeCode, live, versions } = this.found
    const wanted = new URLSearchParams(location.search).get('version')
    const open = html`<a class="button main" href="/playground?function=${id}">Open in playground</a>`
    const ofType = html`For cases of type <b>${caseTypeCode}</b>`
    const runs = html`<a class="button" href="/runs?function=${id}">Runs</a>`
    return html`${back}
      <div class="title-row">
        <div>
          <h1>${name}</h1>
          <p class="quiet">${caseTypeCode === null ? 'For all case types' : ofType}</p>
        </div>
        <div class="actions">${allows('runs:read') ? runs : nothing} ${open}</div>
      </div>
      <version-list .functionId=${id} .liveHash=${live.hash} .page=${versions} .wanted=${wanted}></version-list>
      <function-triggers .functionId=${id} .functionName=${name} .caseTypeCode=${caseTypeCode}></function-triggers>`
  }
}

openPage({ element: 'function-page', type: FunctionPage, keys: itemKeys })
