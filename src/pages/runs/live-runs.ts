import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { retryMs } from '../gateway/gateway-error.ts'
import { ask } from '../gateway/operation.ts'
import {
  type IdPage,
  type ListedRun,
  listNewestIds,
  listRuns,
  type RunFilter,
  type RunPage,
  readNewest,
} from './run-documents.ts'

const pageSize = 50
// A run is listed up to a second after it began, so the page looks more often than that.
const lookEveryMs = 600
const lookAfterErrorMs = 3_000
// Searches again after this time even without a new run, because runs can be deleted.
const searchEveryMs = 6_000
// A page that is left open keeps this many rows, and those that the person loads.
const maxRowsByItself = 200
/** A page that is left paused counts up to this many new runs. */
export const maxWaiting = 1_000

/** The newest runs, which follow the gateway until they are paused. */
export class LiveRuns implements ReactiveController {
  /** Null until the first page has come. */
  rows: readonly ListedRun[] | null = null
  hasMore = false
  isPaused = false
  /** Runs that came while the list stands still. */
  readonly waiting = new Set<string>()
  error: unknown = null
  #filter: RunFilter = {}
  #endCursor: string | null = null
  /** Grows with each choice of a filter: what was asked before it is not shown. */
  #generation = 0
  /** False until the table has runs of the chosen filter. */
  #isShown = false
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The newest run of the account at the last search; null if the next look has to search. */
  #newest: string | null = null
  #searchedAt = 0
  #maxRows = maxRowsByItself
  #rowsAfterLook = 0
  /** How many answers with rows after the last one are on their way. The last one stays until then. */
  #loadingMore = 0
  readonly #host: ReactiveControllerHost
  readonly #countSeen: () => number

  /** `countSeen` returns how many rows there are down to the last one on the screen. */
  constructor(host: ReactiveControllerHost, countSeen: () => number) {
    this.#host = host
    this.#countSeen = countSeen
    host.addController(this)
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#lookNow)
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#lookNow)
    clearTimeout(this.#timer)
  }

  /** True while the table may have runs of another filter than the chosen one. */
  get isLoading(): boolean {
    return !this.#isShown
  }

  /** Shows the runs of a filter from now on. */
  async show(filter: RunFilter): Promise<void> {
    this.#filter = filter
    this.#generation++
    this.#isShown = false
    this.waiting.clear()
    await this.#look()
  }

  pause(): void {
    this.isPaused = true
    this.#newest = null
    this.#host.requestUpdate()
  }

  resume(): void {
    this.isPaused = false
    this.#newest = null
    this.waiting.clear()
    this.#host.requestUpdate()
    this.#lookNow()
  }

  /** Loads a page of older runs, or `count` if they are more. Resolves to false if none were added. */
  async loadMore(count = pageSize): Promise<boolean> {
    if (!this.hasMore || !this.#isShown) return false
    const [generation, cursor] = [this.#generation, this.#endCursor]
    const page = await this.#ask(cursor, Math.max(pageSize, count))
    // A press while older rows are on their way asks for the same rows again.
    if (generation !== this.#generation || cursor !== this.#endCursor) return false
    this.rows = [...(this.rows ?? []), ...page.nodes]
    this.#noteEnd(page)
    return true
  }

  #lookNow = (): void => {
    void this.#look()
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer)
    const generation = this.#generation
    let nextMs = lookEveryMs
    try {
      if (document.visibilityState === 'visible' && (await this.#mayHaveChanged(generation))) {
        if (this.isPaused && this.#isShown) await this.#count(generation)
        else await this.#refresh(generation)
      }
      if (generation === this.#generation) this.error = null
    } catch (error) {
      if (generation === this.#generation) this.#noteError(error)
      this.#newest = null
      nextMs = retryMs(error, lookAfterErrorMs)
    }
    if (generation !== this.#generation) return
    this.#host.requestUpdate()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#lookNow, nextMs)
  }

  // With a filter that few runs match, each search looks through all runs that are kept.
  async #mayHaveChanged(generation: number): Promise<boolean> {
    if (Object.keys(this.#filter).length === 0) return true
    const { newest, running } = await ask(readNewest, {})
    if (generation !== this.#generation) return false
    const id = running.nodes.length > 0 ? null : (newest.nodes[0]?.id ?? '')
    const isKnown = this.#isShown && id !== null && id === this.#newest
    if (isKnown && performance.now() - this.#searchedAt < searchEveryMs) return false
    this.#newest = id
    this.#searchedAt = performance.now()
    return true
  }

  // The runs of another filter would look like those of this one.
  #noteError(error: unknown): void {
    this.error = error
    if (!this.#isShown) this.rows = null
  }

  async #refresh(generation: number): Promise<void> {
    const page = await this.#ask(null)
    if (generation !== this.#generation || (this.isPaused && this.#isShown)) return
    const shown = this.#isShown ? (this.rows ?? []) : []
    this.#isShown = true
    const newest = new Set(page.nodes.map(({ id }) => id))
    const last = shown.findLastIndex(({ id }) => newest.has(id))
    // Without a common row, there may be others between the two.
    const older = last < 0 ? [] : shown.slice(last + 1).filter(({ id }) => !newest.has(id))
    // Only the person has made it longer since the last look.
    const loaded = shown.length - this.#rowsAfterLook
    this.#maxRows = older.length === 0 ? maxRowsByItself : this.#maxRows + Math.max(0, loaded)
    const rows = [...page.nodes, ...older]
    this.rows = this.#loadingMore > 0 ? rows : this.#dropOldest(rows, rows.length - shown.length)
    this.#rowsAfterLook = this.rows.length
    if (older.length === 0) this.#noteEnd(page)
  }

  // A row on the screen stays, so that nothing moves under the reader.
  #dropOldest(rows: readonly ListedRun[], added: number): readonly ListedRun[] {
    if (rows.length <= this.#maxRows) return rows
    const kept = rows.slice(0, Math.max(this.#maxRows, this.#countSeen() + added))
    if (kept.length === rows.length) return rows
    this.hasMore = true
    this.#endCursor = kept.at(-1)?.cursor ?? null
    return kept
  }

  async #count(generation: number): Promise<void> {
    if (this.waiting.size >= maxWaiting) return
    const found = await this.#findNewer()
    if (generation !== this.#generation || !this.isPaused) return
    for (const id of found) if (this.waiting.size < maxWaiting) this.waiting.add(id)
  }

  /** Returns the ids of the runs that are newer than those of the table, down to one that was counted before. */
  async #findNewer(): Promise<readonly string[]> {
    const known = new Set(this.rows?.map(({ id }) => id))
    const found: string[] = []
    let after: string | null = null
    // A page that was in the background, or had no answer, can have missed many.
    do {
      const { nodes, pageInfo }: IdPage = (await ask(listNewestIds, { filter: this.#filter, after })).runs
      for (const { id } of nodes) {
        // Rows are in the order of the table, so the rest is older.
        if (known.has(id)) return found
        found.push(id)
      }
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    } while (after !== null && found.length < maxWaiting && !found.some(id => this.waiting.has(id)))
    return found
  }

  async #ask(after: string | null, first = pageSize): Promise<RunPage> {
    const more = after === null ? 0 : 1
    this.#loadingMore += more
    try {
      const { edges, pageInfo } = (await ask(listRuns, { filter: this.#filter, first, after })).runs
      return { nodes: edges.map(({ cursor, node }) => ({ ...node, cursor })), pageInfo }
    } finally {
      this.#loadingMore -= more
    }
  }

  #noteEnd({ pageInfo }: RunPage): void {
    this.hasMore = pageInfo.hasNextPage
    this.#endCursor = pageInfo.endCursor
    this.#host.requestUpdate()
  }
}
