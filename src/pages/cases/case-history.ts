import { html, nothing, type PropertyValues } from 'lit'
import { allows } from '../gateway/session.ts'
import { loadMoreRows } from '../shell/list-keys.ts'
import { PageElement, viewError, viewLoading, viewMore } from '../shell/page-element.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import type { EventPage } from './case-documents.ts'
import { readHistory } from './read-history.ts'
import { viewHistory } from './view-history.ts'

/** The versions of a case. It is loaded apart from the case, whose data must be seen whatever the history holds. */
class CaseHistory extends PageElement {
  static override properties = {
    caseId: { attribute: false },
    version: { attribute: false },
    page: { state: true },
    isOld: { state: true },
    error: { state: true },
  }
  declare caseId: string
  /** The version of the case. The newest events are read again whenever it changes. */
  declare version: number
  declare page: EventPage | null
  /** True while the newest events of the version have not come. */
  declare isOld: boolean
  declare error: unknown

  constructor() {
    super()
    this.caseId = ''
    this.version = 0
    this.page = null
    this.isOld = true
    this.error = null
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('version')) this.#show()
  }

  override render() {
    const loading = this.error === null ? viewLoading() : nothing
    const runs = html`<a href="/runs?text=${this.caseId}">What ran on this case</a>`
    return html`<div class="title-row"><h2>History</h2>${allows('runs:read') ? runs : nothing}</div>
      ${viewError(this.error, this.isOld ? viewNotLoaded(this.error, this.#show) : nothing)}
      ${this.page === null ? loading : viewHistory(this.page.nodes)}
      ${viewMore(this.page?.pageInfo.hasPreviousPage === true, this.#loadMore)}`
  }

  // Also shows again what could not be loaded. An error that comes late says nothing of a later version.
  #show = (): void => {
    const { version } = this
    this.isOld = true
    this.error = null
    this.#try(async () => {
      try {
        const page = await readHistory(this.caseId, null)
        if (this.version !== version) return
        this.page = page
        this.isOld = false
      } catch (error) {
        if (this.version === version) throw error
      }
    })
  }

  // A press while older events are on their way asks again: they belong only to the events they were asked for. The
  // error about the newest events stays.
  #loadMore = (event: Event): void => {
    const { page: shown } = this
    if (shown === null) return
    if (!this.isOld) this.error = null
    const loadOlder = async (): Promise<void> => {
      const { nodes, pageInfo } = await readHistory(this.caseId, shown.pageInfo.startCursor)
      if (this.page === shown) this.page = { nodes: [...nodes, ...shown.nodes], pageInfo }
      await this.updateComplete
    }
    this.#try(() => loadMoreRows(event, loadOlder, '.history .version'))
  }

  #try(action: () => Promise<void>): void {
    action().catch((error: unknown) => {
      this.error = error
    })
  }
}

customElements.define('case-history', CaseHistory)
