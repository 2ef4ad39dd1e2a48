import { html, nothing } from 'lit'
import { GatewayError, retryMs } from '../gateway/gateway-error.ts'
import { allows } from '../gateway/session.ts'
import { handleItemKeys, itemKeys } from '../shell/list-keys.ts'
import { type OpenFunction, openInPlayground } from '../shell/open-in-playground.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, setTitle, viewError, viewLoading } from '../shell/page-element.ts'
import { readId } from '../shell/read-id.ts'
import { viewText } from '../shell/view-text.ts'
import { type FoundRun, findRun, wait, whenShown } from './find-run.ts'
import { findReplays, isDryOnly, replay } from './replays.ts'
import type { KeptRun, RunLink } from './run-documents.ts'
import { describeOutcome, explainNoReplay } from './run-outcome.ts'
import { layOutTimeline } from './timeline.ts'
import { shortId, viewFacts } from './view-facts.ts'
import { viewOutput } from './view-output.ts'
import { viewTimeline } from './view-timeline.ts'

const refreshMs = 700
const refreshAfterErrorMs = 3_000

/** One run: how it ended, what it did and when, and running it again. */
class RunPage extends PageElement {
  static override properties = {
    found: { state: true },
    replays: { state: true },
    error: { state: true },
    notice: { state: true },
    isReplaying: { state: true },
    isDry: { state: true },
    openCall: { state: true },
  }
  declare found: FoundRun | null
  declare replays: readonly RunLink[]
  declare error: unknown
  declare notice: string
  declare isReplaying: boolean
  /** True if the person wants replays that change nothing. */
  declare isDry: boolean
  /** Number of the call whose details are open, from 1. */
  declare openCall: number | null

  constructor() {
    super()
    this.found = null
    this.replays = []
    this.error = null
    this.notice = ''
    this.isReplaying = false
    this.isDry = false
    this.openCall = readCall()
    handleItemKeys('/runs')
    addEventListener('hashchange', () => {
      this.openCall = readCall()
    })
    this.#follow().catch((error: unknown) => {
      this.error = error
    })
  }

  /** Loads the run, again and again until it has ended. An error is shown until the next answer. */
  async #follow(): Promise<void> {
    let failed: unknown = null
    for (;;) {
      const before = failed
      failed = await this.#load().then(() => null, expectTransient)
      // The error of a replay stays.
      if (failed !== null || this.error === before) this.error = failed
      if (failed === null && this.found?.run.state !== 'RUNNING') return
      await wait(failed === null ? refreshMs : retryMs(failed, refreshAfterErrorMs))
      await whenShown()
    }
  }

  async #load(): Promise<void> {
    const id = readId()
    const found = id === null ? null : await findRun(id)
    if (found === null) throw new Error('There is no such run, or it is not kept any more.')
    this.replays = await findReplays(found.run)
    this.found = found
    setTitle(`Run ${found.run.name}`)
  }

  override render() {
    const run = this.found?.run ?? null
    return html`<p class="back"><a href="/runs">Runs</a></p>
      ${run === null ? html`<h1>Run</h1>` : this.#viewHead(run)} ${viewError(this.error)}
      ${this.found === null ? (this.error === null ? viewLoading() : nothing) : this.#viewRun(this.found)}`
  }

  #viewHead(run: KeptRun) {
    const noReplay = allows('functions:write') ? explainNoReplay(run) : null
    return html`<div class="title-row">
      <div>
        <h1>${viewText(run.name)}</h1>
        <p role="status" class="run-status ${run.outcome?.toLowerCase() ?? run.state.toLowerCase()}">
          ${describeOutcome(run)}
        </p>
      </div>
      <div class="actions">${this.#viewReplay(run)} ${this.#viewOpen(run)}</div>
    </div>
    ${noReplay === null ? nothing : html`<p class="quiet">${noReplay}</p>`}
    <p role="status" class="quiet">${this.notice}</p>`
  }

  #viewReplay(run: KeptRun) {
    if (!allows('functions:write') || run.state === 'RUNNING' || explainNoReplay(run) !== null) return nothing
    const isDry = this.isDry || isDryOnly(run)
    const title = isDry ? 'A dry run: it changes nothing' : 'Runs again, and can change data again'
    const setDry = ({ target }: Event): void => {
      this.isDry = (target as HTMLInputElement).checked
    }
    const button = (name: string, version: 'ORIGINAL' | 'LIVE') => html`<button
      type="button"
      title=${title}
      aria-disabled=${this.isReplaying}
      @click=${() => this.#replay(run, version)}
    >${name}</button>`
    const hasLive = run.functionVersion !== null && run.function?.createdAt !== null
    return html`<label class="tick">
        <input type="checkbox" .checked=${isDry} ?disabled=${isDryOnly(run)} @change=${setDry} /> Dry run
      </label>
      ${button('Replay', 'ORIGINAL')} ${hasLive ? button('Replay on live', 'LIVE') : nothing}`
  }

  #viewOpen(run: KeptRun) {
    const source = run.sourceCode
    if (source === null) return nothing
    const input = run.isInputKept ? print(run.input) : '{}'
    const without = run.isInputKept ? '' : ', without its input, which is not kept'
    const open = (): void => {
      this.error = openInPlayground({
        fields: { script: source, input, options: print(withoutTransaction(run.options)) },
        notice: `From run ${shortId(run.id)}${without}.`,
        open: findFunction(run),
      })
    }
    return html`<button type="button" @click=${open}>Open in playground</button>`
  }

  #viewRun(found: FoundRun) {
    return html`${viewFacts(found.run, this.replays)}
      <section aria-label="Timeline of the run">
        <h2>Timeline</h2>
        ${viewTimeline(layOutTimeline(found, Date.now()), { open: this.openCall, onChoose: this.#chooseCall })}
      </section>
      ${viewOutput(found.run)}`
  }

  // The browser would scroll the call to the top of the screen.
  #chooseCall = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    history.pushState(null, '', (event.currentTarget as HTMLAnchorElement).hash)
    this.openCall = readCall()
  }

  async #replay(run: KeptRun, version: 'ORIGINAL' | 'LIVE'): Promise<void> {
    if (this.isReplaying) return
    this.isReplaying = true
    this.error = null
    this.notice = 'Replaying…'
    try {
      const id = await replay(run, { version, isDry: this.isDry || isDryOnly(run) })
      this.notice = id === null ? 'It was run again. The new run is not kept.' : 'Opening the new run'
      // The new run may come slowly, and another press would replay this one again meanwhile.
      this.isReplaying = id !== null
      if (id !== null) location.assign(`/runs/${id}`)
    } catch (error) {
      this.notice = ''
      this.error = error
      this.isReplaying = false
    }
  }
}

const lastingCodes = ['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT']

/** Returns an error that the next look may not meet; throws any other. */
function expectTransient(error: unknown): GatewayError {
  if (error instanceof GatewayError && !lastingCodes.includes(error.code)) return error
  throw error
}

function readCall(): number | null {
  const [, number] = /^#call-(\d+)$/.exec(location.hash) ?? []
  return number === undefined ? null : Number(number)
}

// A run with the options of another one would continue its transaction.
function withoutTransaction(options: KeptRun['options']): Readonly<Record<string, unknown>> {
  const { requestContext: _transaction, ...others } = options ?? {}
  return others
}

function print(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** Returns the function that a change of the run's script changes; null if there is none, or none any more. */
function findFunction({ functionVersion, function: own }: KeptRun): OpenFunction | null {
  if (functionVersion === null || !own || own.createdAt === null) return null
  const { id, name, caseTypeCode } = own
  return { id, name, caseTypeCode, baseHash: functionVersion }
}

openPage({ element: 'run-page', type: RunPage, keys: itemKeys })
