import { html, nothing } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { isCode, retryMs } from '../gateway/gateway-error.ts'
import { ask } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { loadMoreRows } from '../shell/list-keys.ts'
import { PageElement, viewError, viewMore } from '../shell/page-element.ts'
import { viewText } from '../shell/view-text.ts'
import { viewTime } from '../time/view-time.ts'
import { type DeadRun, dropDeadRun, listDeadRuns, retryDeadRun, retryDeadRuns } from './run-documents.ts'

const refreshMs = 10_000
const rowsAtOnce = 50
// What the gateway retries for one request.
const retriesAtOnce = 1_000
const gone = 'The run is gone already: somebody else dropped it, or it has run.'
const allGone = 'The runs are gone already: somebody else dropped them, or they have run.'

/** Queued runs that failed at every attempt, folded, with a retry of one or of all. Shows nothing without any. */
class DeadRuns extends PageElement {
  static override properties = {
    nodes: { state: true },
    totalCount: { state: true },
    dropping: { state: true },
    asksToRetryAll: { state: true },
    error: { state: true },
    notice: { state: true },
  }
  declare nodes: readonly DeadRun[]
  declare totalCount: number
  /** What is about to be dropped, while the page asks. */
  declare dropping: DeadRun | null
  /** True while the page asks whether to retry all. */
  declare asksToRetryAll: boolean
  declare error: unknown
  declare notice: string
  #maxRows = rowsAtOnce
  /** Grows with each load: only the last one is shown. */
  #generation = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** What is being done: the id of a run, or `all`. A run that failed again meanwhile would be tried twice. */
  readonly #underWay = new Set<string>()

  constructor() {
    super()
    this.nodes = []
    this.totalCount = 0
    this.dropping = null
    this.asksToRetryAll = false
    this.error = null
    this.notice = ''
    void this.#load()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    clearTimeout(this.#timer)
  }

  override render() {
    const { nodes, totalCount, dropping } = this
    const asks = dropping !== null || this.asksToRetryAll
    if (totalCount === 0 && this.notice === '' && this.error === null && !asks) return nothing
    const retryAll = html`<button type="button" @click=${this.#askToRetryAll}>Retry all</button>`
    return html`<section class="dead" aria-labelledby="dead-title">
      <div class="title-row">
        <h2 id="dead-title" tabindex="-1">Given up <span class="count">${totalCount}</span></h2>
        ${totalCount > 1 && allows('functions:write') ? retryAll : nothing}
      </div>
      <div role="status" class="quiet">${this.notice}</div>
      ${viewError(this.error)}
      <details>
        <summary>These queued runs failed at every attempt. They wait until you retry or drop them.</summary>
        <ul class="rows" aria-label="Given up">${repeat(
          nodes,
          ({ id }) => id,
          run => this.#viewRow(run),
        )}</ul>
        ${viewMore(nodes.length < totalCount, this.#loadMore)}
      </details>
      <dialog class="ask retry-all" aria-labelledby="retry-title" @close=${this.#forgetAll}>
        ${viewQuestion(totalCount)}
        <form method="dialog" class="actions">
          <button value="cancel">${totalCount === 0 ? 'Close' : 'Cancel'}</button>
          <button type="button" class="main" ?hidden=${totalCount === 0} @click=${this.#retryAll}>
            ${totalCount === 1 ? 'Retry' : 'Retry all'}
          </button>
        </form>
      </dialog>
      <dialog class="ask drop" aria-labelledby="drop-title" @close=${this.#forget}>
        <h2 id="drop-title">Drop <bdi>${dropping === null ? '' : viewText(nameOf(dropping))}</bdi>?</h2>
        <p>
          This queued run${dropping?.caseId == null ? nothing : ` for case ${dropping.caseId}`} is not tried again. You
          cannot undo this. The runs of its attempts stay listed.
        </p>
        <form method="dialog" class="actions">
          <button value="cancel">Cancel</button>
          <button type="button" class="main" @click=${this.#drop}>Drop</button>
        </form>
      </dialog>
    </section>`
  }

  #viewRow(run: DeadRun) {
    const { caseId, attempt, lastError, runs } = run
    const ofCase = caseId === null ? nothing : html` for <a href="/cases/${caseId}">case ${caseId}</a>`
    const attempts = runs.map(
      ({ id, startedAt }) => html`<li><a href="/runs/${id}">Run</a> ${viewTime(startedAt)}</li>`,
    )
    const actions = html`<span class="actions">
      <button type="button" @click=${() => this.#do(run, 'retry')}>Retry</button>
      <button type="button" class="bad" @click=${() => this.#askToDrop(run)}>Drop</button>
    </span>`
    return html`<li>
      <div>
        <strong dir="auto">${viewText(nameOf(run))}</strong>${ofCase}, ${attempt}
        ${attempt === 1 ? 'attempt' : 'attempts'}
        <div class="why">${lastError?.code} ${viewText(lastError?.message ?? '')}</div>
        <details><summary>Attempts</summary><ol>${attempts}</ol></details>
      </div>
      ${allows('functions:write') ? actions : nothing}
    </li>`
  }

  #askToDrop(run: DeadRun): void {
    this.dropping = run
    this.querySelector<HTMLDialogElement>('dialog.drop')?.showModal()
  }

  #drop = (): void => {
    const { dropping } = this
    this.querySelector<HTMLDialogElement>('dialog.drop')?.close()
    if (dropping !== null) void this.#do(dropping, 'drop')
  }

  // The event comes after the dialog has closed. By then a quick person may have opened it again.
  #forget = ({ currentTarget }: Event): void => {
    if (!(currentTarget as HTMLDialogElement).open) this.dropping = null
  }

  #askToRetryAll = (): void => {
    this.asksToRetryAll = true
    this.querySelector<HTMLDialogElement>('dialog.retry-all')?.showModal()
  }

  #forgetAll = ({ currentTarget }: Event): void => {
    if ((currentTarget as HTMLDialogElement).open) return
    this.asksToRetryAll = false
    if (this.totalCount > 0) return
    this.notice = allGone
    // The button that opened the dialog is gone too.
    this.querySelector<HTMLElement>('#dead-title')?.focus()
  }

  #retryAll = (): void => {
    const { totalCount } = this
    this.querySelector<HTMLDialogElement>('dialog.retry-all')?.close()
    if (totalCount === 0) return
    void this.#try('all', 'Retrying…', async () => {
      const count = await retryAll(totalCount)
      if (count < totalCount)
        return `${count} of ${totalCount} runs are tried again. The others are gone, or too many runs wait already.`
      const what = count === 1 ? '1 run is' : `${count} runs are`
      return `${what} tried again. Those that fail at every attempt come back here.`
    })
  }

  #do({ id }: DeadRun, what: 'retry' | 'drop'): Promise<void> {
    return this.#try(id, what === 'retry' ? 'Retrying…' : 'Dropping…', async () => {
      await (what === 'retry' ? ask(retryDeadRun, { id }) : ask(dropDeadRun, { id }))
      return what === 'retry' ? 'The run waits again. It is tried at once.' : 'The run was dropped.'
    })
  }

  /** Does something, says that it goes on and what was done, and shows what is left. */
  async #try(what: string, doing: string, action: () => Promise<string>): Promise<void> {
    if (this.#underWay.has(what)) return
    this.#underWay.add(what)
    // What has the focus goes.
    this.querySelector<HTMLElement>('#dead-title')?.focus()
    this.error = null
    this.notice = doing
    try {
      this.notice = await action()
    } catch (error) {
      const isGone = isCode(error, 'NOT_FOUND')
      if (isGone) this.notice = gone
      else if (this.notice === doing) this.notice = ''
      if (!isGone) this.error = error
    }
    await this.#load()
    this.#underWay.delete(what)
  }

  #loadMore = (event: Event): void => {
    this.#maxRows = this.nodes.length + rowsAtOnce
    const load = async (): Promise<void> => {
      await this.#load()
      await this.updateComplete
    }
    void loadMoreRows(event, load, '.dead .rows > li summary')
  }

  // The table of runs says if the gateway cannot be reached.
  async #load(): Promise<void> {
    const generation = ++this.#generation
    clearTimeout(this.#timer)
    let nextMs = refreshMs
    if (document.visibilityState === 'visible') {
      const found = await this.#readRows().catch((error: unknown) => {
        nextMs = retryMs(error, refreshMs)
        return null
      })
      if (generation !== this.#generation) return
      this.nodes = found?.nodes ?? this.nodes
      this.totalCount = found?.totalCount ?? this.totalCount
    }
    this.#timer = setTimeout(() => this.#load(), nextMs)
  }

  async #readRows(): Promise<Pick<DeadRuns, 'nodes' | 'totalCount'>> {
    const readPage = async (after: string | null) =>
      (await ask(listDeadRuns, { first: rowsAtOnce, after })).queuedRuns
    let page = await readPage(null)
    const nodes = [...page.nodes]
    while (nodes.length < this.#maxRows && page.pageInfo.hasNextPage) {
      page = await readPage(page.pageInfo.endCursor)
      nodes.push(...page.nodes)
    }
    return { nodes, totalCount: page.totalCount }
  }
}

function viewQuestion(totalCount: number) {
  if (totalCount === 0)
    return html`<h2 id="retry-title">Nothing is left to retry</h2>
      <p>${allGone}</p>`
  return html`<h2 id="retry-title">Retry ${totalCount === 1 ? 'the last run' : `all ${totalCount} runs`}?</h2>
    <p>
      ${totalCount === 1 ? 'It' : 'Each'} begins again at its first attempt, with the version of its function that is
      live now.
    </p>`
}

/** Retries up to this number of runs, the oldest first, and returns how many it retried. */
async function retryAll(wanted: number): Promise<number> {
  let count = 0
  while (count < wanted) {
    const first = Math.min(wanted - count, retriesAtOnce)
    const { retryQueuedRuns: retried } = await ask(retryDeadRuns, { first })
    count += retried
    if (retried < first) break
  }
  return count
}

function nameOf({ runs, trigger }: DeadRun): string {
  return runs.at(-1)?.name ?? trigger.toLowerCase()
}

customElements.define('dead-runs', DeadRuns)
