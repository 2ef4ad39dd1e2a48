import { html, nothing } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { isCode } from '../gateway/gateway-error.ts'
import { ask } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { viewAuthor } from '../results/view-author.ts'
import { loadMoreRows } from '../shell/list-keys.ts'
import { PageElement, tryAction, viewError, viewLoading, viewMore, viewTable } from '../shell/page-element.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import { viewText } from '../shell/view-text.ts'
import { viewTime } from '../time/view-time.ts'
import {
  findFunction,
  readSources,
  rollBack,
  type Source,
  type Version,
  type VersionPage,
} from './function-documents.ts'
import { viewLines } from './view-lines.ts'

const columns = ['Version', 'State', 'Author', 'Saved', 'Comment', html`<span class="unseen">Action</span>`]

// A version that a link names is looked for among this many, some hundreds at a time.
const maxSearched = 1_000
const searchedAtOnce = 250

const removed = 'The function was removed meanwhile.'

interface Sources {
  /** Null for the oldest version. Those before it may have been deleted. */
  readonly before: Source | null
  readonly after: Source
}

/** The versions of a function, newest first, and what the chosen one changed. */
class VersionList extends PageElement {
  static override properties = {
    functionId: { attribute: false },
    liveHash: { attribute: false },
    page: { attribute: false },
    wanted: { attribute: false },
    chosen: { state: true },
    sources: { state: true },
    isReading: { state: true },
    error: { state: true },
    notice: { state: true },
  }
  declare functionId: string
  declare liveHash: string
  declare page: VersionPage
  /** Hash of the version to look for and to show first; null for the newest, and once it was looked for. */
  declare wanted: string | null
  declare chosen: number
  declare sources: Sources | null
  /** True while the sources of the chosen version are on their way. */
  declare isReading: boolean
  declare error: unknown
  declare notice: string
  #isRollingBack = false

  constructor() {
    super()
    this.functionId = ''
    this.liveHash = ''
    this.page = { edges: [], pageInfo: { hasNextPage: false, endCursor: null } }
    this.wanted = null
    this.chosen = 0
    this.sources = null
    this.isReading = false
    this.error = null
    this.notice = ''
  }

  override firstUpdated(): void {
    this.#show()
  }

  override render() {
    const rows = repeat(
      this.page.edges,
      ({ node }) => node.hash,
      ({ node }, index) => this.#viewRow(node, index),
    )
    const { sources, error } = this
    const again = sources === null && error !== null ? viewNotLoaded(error, this.#show) : nothing
    return html`<h2>Versions</h2>
      <div role="status" class="quiet">${this.notice}</div>
      ${viewError(error, again)}
      ${viewTable({ name: 'Versions', kind: 'versions', columns, rows })}
      ${viewMore(this.page.pageInfo.hasNextPage, this.#loadMore)}
      <section aria-label="Difference" class="changed">
        <h2>Difference</h2>
        ${this.isReading ? viewLoading() : nothing} ${sources === null ? nothing : viewSources(sources)}
      </section>`
  }

  #viewRow({ hash, comment, at, ...by }: Version, index: number) {
    const isLive = hash === this.liveHash
    const action = html`<button type="button" @click=${() => this.#rollBack(hash)}>Roll back</button>`
    return html`<tr role="row" class=${index === this.chosen ? 'chosen' : ''}>
      <td role="cell">
        <button
          type="button"
          class="plain hash"
          aria-pressed=${index === this.chosen}
          title="Show what this version changed"
          @click=${() => this.#press(index)}
        >${hash.slice(0, 8)}</button>
      </td>
      <td role="cell">${isLive ? html`<span class="live">live</span>` : nothing}</td>
      <td role="cell" class="author">${viewAuthor(by)}</td>
      <td role="cell">${viewTime(at)}</td>
      <td role="cell" class="comment">${comment === null ? nothing : viewText(comment)}</td>
      <td role="cell">${!isLive && allows('functions:write') ? action : nothing}</td>
    </tr>`
  }

  // Also shows again what could not be loaded.
  #show = (): void => {
    const { wanted } = this
    if (wanted === null) this.#choose(this.chosen)
    else tryAction(this, () => this.#find(wanted))
  }

  #choose(index: number): void {
    this.#clearNotice()
    tryAction(this, () => this.#showSources(index))
  }

  // The notice about a rollback that goes on stays.
  #clearNotice(): void {
    if (!this.#isRollingBack) this.notice = ''
  }

  // The difference can be far below the button.
  #press(index: number): void {
    this.#clearNotice()
    tryAction(this, async () => {
      await this.#showSources(index)
      await this.updateComplete
      this.querySelector('.changed')?.scrollIntoView({ block: 'nearest' })
    })
  }

  // A version that was saved or deleted meanwhile moves the others.
  async #showSources(index: number): Promise<void> {
    const hash = this.page.edges[index]?.node.hash
    if (await this.#readSources(index)) return
    await this.#reload()
    this.notice = 'The versions changed meanwhile. The list shows them as they are now.'
    await this.#readSources(Math.max(0, this.#indexOf(hash)))
    await this.#keepFocus()
  }

  /** Shows what a version changed. Returns false if another one is in its place now. */
  async #readSources(index: number): Promise<boolean> {
    this.chosen = index
    this.sources = null
    this.isReading = true
    const after = this.page.edges[index - 1]?.cursor ?? null
    try {
      const found = (await ask(readSources, { id: this.functionId, after })).function
      if (this.chosen !== index) return true
      const [newer, older = null] = found?.versions.nodes ?? []
      if (newer === undefined || newer.hash !== this.page.edges[index]?.node.hash) return false
      this.sources = { before: older, after: newer }
      return true
    } catch (error) {
      // An error that comes late says nothing of the version that is chosen by then.
      if (this.chosen !== index) return true
      throw error
    } finally {
      if (this.chosen === index) this.isReading = false
    }
  }

  #indexOf(hash: string | undefined): number {
    return this.page.edges.findIndex(({ node }) => node.hash === hash)
  }

  async #reload(): Promise<void> {
    const found = (await ask(findFunction, { id: this.functionId, after: null })).function
    if (found === null) throw new Error(removed)
    this.page = found.versions
    this.liveHash = found.live.hash
  }

  async #find(hash: string): Promise<void> {
    while (this.#indexOf(hash) < 0 && this.page.pageInfo.hasNextPage && this.page.edges.length < maxSearched)
      await this.#loadPage(searchedAtOnce)
    this.wanted = null
    this.#choose(Math.max(0, this.#indexOf(hash)))
    if (this.#indexOf(hash) >= 0) return this.#keepFocus()
    const searched = this.page.pageInfo.hasNextPage ? ` among its newest ${this.page.edges.length}` : ''
    throw new Error(`The function has no version ${hash.slice(0, 8)}${searched}. Here is the newest one.`)
  }

  #rollBack(hash: string): void {
    // A second press would find the version of the first one live, and call it a change of somebody else.
    if (this.#isRollingBack) return
    this.#isRollingBack = true
    this.notice = `Making version ${hash.slice(0, 8)} live…`
    tryAction(this, async () => {
      const change = { functionId: this.functionId, hash, ifLive: [this.liveHash] }
      await ask(rollBack, change)
        .catch(async (error: unknown) => {
          if (!isCode(error, 'PRECONDITION_FAILED')) throw error
          await this.#reload()
          // It may be live already, by a press whose answer was lost.
          if (this.liveHash !== hash) throw await this.#showNewLive()
        })
        .catch((error: unknown) => {
          this.notice = ''
          throw error
        })
        .finally(() => {
          this.#isRollingBack = false
        })
      this.liveHash = hash
      this.notice = `Version ${hash.slice(0, 8)} is live.`
      await this.#keepFocus()
    })
  }

  async #showNewLive(): Promise<Error> {
    await this.#readSources(0)
    await this.#keepFocus()
    return new Error(
      'Nothing was changed: another version has become live meanwhile. Look at it, then try again.',
    )
  }

  /** Focuses the chosen version if what had the focus is gone. The person may have gone on meanwhile. */
  async #keepFocus(): Promise<void> {
    await this.updateComplete
    if (document.activeElement === document.body)
      this.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus()
  }

  #loadMore = (event: Event): void =>
    tryAction(this, () => loadMoreRows(event, () => this.#loadPage(), 'button.hash'))

  async #loadPage(first?: number): Promise<void> {
    const { page: shown } = this
    const { edges, pageInfo } = shown
    const size = first === undefined ? {} : { first }
    const found = await ask(findFunction, { id: this.functionId, after: pageInfo.endCursor, ...size })
    if (found.function === null) throw new Error(removed)
    // Older versions belong only to the list that they were asked for.
    if (this.page !== shown) return
    const { versions } = found.function
    this.page = { edges: [...edges, ...versions.edges], pageInfo: versions.pageInfo }
    await this.updateComplete
  }
}

function viewSources({ before, after }: Sources) {
  const hash = after.hash.slice(0, 8)
  const title =
    before === null
      ? `What ${hash}, the oldest version that is kept, has`
      : `What ${hash} changed from ${before.hash.slice(0, 8)}`
  return html`<p class="quiet">${title}</p>
    ${viewLines(before?.sourceCode ?? '', after.sourceCode)}`
}

customElements.define('version-list', VersionList)
