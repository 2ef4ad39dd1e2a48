import { html, nothing } from 'lit'
import { ask } from '../gateway/operation.ts'
import { PageElement, viewError } from '../shell/page-element.ts'
import { allows } from '../shell/session.ts'
import { viewTime } from '../shell/view-time.ts'
import { type DeadRun, dropDeadRun, listDeadRuns, retryDeadRun } from './run-documents.ts'

const refreshMs = 10_000

/** Queued runs that failed at every attempt, with a retry. Shows nothing without any. */
class DeadRuns extends PageElement {
  static override properties = { found: { state: true }, error: { state: true }, notice: { state: true } }
  declare found: { readonly totalCount: number; readonly nodes: readonly DeadRun[] } | null
  declare error: unknown
  declare notice: string
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.found = null
    this.error = null
    this.notice = ''
    void this.#load()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    clearTimeout(this.#timer)
  }

  override render() {
    const count = this.found?.totalCount ?? 0
    if (count === 0 && this.notice === '' && this.error === null) return nothing
    return html`<section class="dead" aria-labelledby="dead-title">
      <h2 id="dead-title">Given up <span class="count">${count}</span></h2>
      <p class="quiet">These queued runs failed at every attempt. They wait until you retry or drop them.</p>
      <div role="status" class="quiet">${this.notice}</div>
      ${viewError(this.error)}
      <ul class="rows" aria-label="Given up">${(this.found?.nodes ?? []).map(run => this.#viewRow(run))}</ul>
    </section>`
  }

  #viewRow(run: DeadRun) {
    const { trigger, caseId, attempt, lastError, runs } = run
    const ofCase = caseId === null ? nothing : html` for <a href="/cases/${caseId}">case ${caseId}</a>`
    const attempts = runs.map(
      ({ id, startedAt }) => html`<li><a href="/runs/${id}">Run</a> ${viewTime(startedAt)}</li>`,
    )
    const actions = html`<span class="actions">
      <button type="button" @click=${() => this.#do(run, 'retry')}>Retry</button>
      <button type="button" class="bad" @click=${() => this.#do(run, 'drop')}>Drop</button>
    </span>`
    return html`<li>
      <div>
        <strong dir="auto">${runs.at(-1)?.name ?? trigger.toLowerCase()}</strong>${ofCase}, ${attempt}
        ${attempt === 1 ? 'attempt' : 'attempts'}
        <div class="why">${lastError?.code} ${lastError?.message}</div>
        <details><summary>Attempts</summary><ol>${attempts}</ol></details>
      </div>
      ${allows('functions:write') ? actions : nothing}
    </li>`
  }

  async #do({ id }: DeadRun, what: 'retry' | 'drop'): Promise<void> {
    this.error = null
    try {
      await (what === 'retry' ? ask(retryDeadRun, { id }) : ask(dropDeadRun, { id }))
      this.notice = what === 'retry' ? 'The run waits again. It is tried at once.' : 'The run was dropped.'
    } catch (error) {
      this.error = error
    }
    await this.#load()
  }

  async #load(): Promise<void> {
    clearTimeout(this.#timer)
    if (document.visibilityState === 'visible')
      this.found = (await ask(listDeadRuns, {}).catch(() => null))?.queuedRuns ?? this.found
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#load(), refreshMs)
  }
}

customElements.define('dead-runs', DeadRuns)
