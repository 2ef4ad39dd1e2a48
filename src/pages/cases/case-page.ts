import { html, nothing } from 'lit'
import { GatewayError } from '../gateway/gateway-error.ts'
import { ask } from '../gateway/operation.ts'
import { handleItemKeys, itemKeys } from '../shell/list-keys.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, viewError, viewLoading } from '../shell/page-element.ts'
import { allows } from '../shell/session.ts'
import {
  type CaseTask,
  type CaseVersion,
  type FoundCase,
  findCase,
  listTasks,
  runTask,
  saveCase,
  trySave,
} from './case-documents.ts'
import './case-history.ts'
import { forgetEdits, type KeptEdits, keepEdits, readEdits } from './kept-edits.ts'
import { parseObject } from './parse-object.ts'
import { printData, rebaseEdits } from './rebase-edits.ts'
import type { AskedTask, TaskDialog } from './task-dialog.ts'
import './task-dialog.ts'

/** The case that the path names: its data, its tasks and its history. */
class CasePage extends PageElement {
  static override properties = {
    found: { state: true },
    text: { state: true },
    base: { state: true },
    tasks: { state: true },
    patch: { state: true },
    notice: { state: true },
    error: { state: true },
    isBusy: { state: true },
  }
  declare found: FoundCase | null
  /** What the field has. */
  declare text: string
  declare tasks: readonly CaseTask[]
  /** The version that the edits began with. */
  declare base: CaseVersion
  /** What a dry run would change. */
  declare patch: unknown
  declare notice: string
  declare error: unknown
  declare isBusy: boolean

  constructor() {
    super()
    this.found = null
    this.text = ''
    this.base = { version: 0, data: {} }
    this.tasks = []
    this.patch = null
    this.notice = ''
    this.error = null
    this.isBusy = false
    handleItemKeys('/cases', new AbortController().signal)
    document.addEventListener('keydown', this.#onKey)
    this.#do(() => this.#open())
  }

  async #open(): Promise<void> {
    const found = await this.#load()
    const edits = readEdits(found.id)
    this.#show(found)
    if (edits !== null && edits.text !== this.text) this.#restore(found, edits)
    document.title = `Case ${found.id} · Rostrum`
    if (allows('functions:read'))
      this.tasks = (await ask(listTasks, { caseTypeCode: found.caseTypeCode })).caseTasks.filter(
        ({ enabled }) => enabled,
      )
  }

  #restore(found: FoundCase, { base, text }: KeptEdits): void {
    this.base = base
    this.text = text
    this.#meet(found)
    if (this.#isEdited) this.notice = 'These are your unsaved edits.'
  }

  async #load(): Promise<FoundCase> {
    const id = decodeURIComponent(location.pathname.split('/')[2] ?? '')
    const isId = /^[1-9]\d{0,15}$/.test(id)
    const found = isId ? (await ask(findCase, { id })).case : null
    if (found === null) throw new Error('There is no such case. It may have been deleted.')
    return found
  }

  /** Shows the data as they are stored. */
  #show(stored: FoundCase): void {
    const { version, data } = stored
    this.found = stored
    this.base = { version, data }
    this.text = printData(data)
  }

  /** Shows the data as they are stored, because the edits are saved or discarded. */
  #take(stored: FoundCase): void {
    this.#show(stored)
    forgetEdits(stored.id)
  }

  /** Shows the case as it is stored now. What was typed beyond `written` stays, on top of what changed. */
  #meet(stored: FoundCase, written = { data: this.base.data, text: printData(this.base.data) }): void {
    if (this.text === written.text) return this.#take(stored)
    this.found = stored
    const text = rebaseEdits({ before: written.data, after: stored.data, text: this.text })
    const { version, data } = text === null ? { ...this.base, data: written.data } : stored
    this.base = { version, data }
    this.text = text ?? this.text
    this.#keep(stored.id)
  }

  #keep(id: string): void {
    if (keepEdits(id, { base: this.base, text: this.text })) return
    this.notice = 'This browser has no room to keep your edits. Save them before you leave this page.'
  }

  override render() {
    const back = html`<p class="back"><a href="/cases">Cases</a></p>`
    if (this.found === null)
      return html`${back}
        <h1>Case</h1>
        ${viewError(this.error)} ${this.error === null ? viewLoading() : nothing}`
    const { id, caseTypeCode, version } = this.found
    return html`${back}
      <h1>Case ${id}</h1>
      <p class="quiet">Type <b>${caseTypeCode}</b>, version ${version}</p>
      <div class="notice" role="status" ?hidden=${this.notice === ''}>${this.notice}</div>
      ${viewError(this.error)} ${this.#viewEditor()}
      ${this.patch === null ? nothing : this.#viewPatch()}
      <case-history .caseId=${id} .version=${version}></case-history>
      <task-dialog @run-task=${this.#runTask}></task-dialog>`
  }

  #viewEditor() {
    const canSave = allows('cases:write')
    const saving = html`<button type="button" class="main" ?disabled=${this.isBusy} @click=${this.#save}>
        Save <kbd>Ctrl+S</kbd>
      </button>
      <button type="button" ?disabled=${this.isBusy} @click=${this.#dryRun}>Dry run</button>`
    const tasks = this.tasks.map(
      ({ name }) =>
        html`<button type="button" ?disabled=${this.isBusy} @click=${() => this.#askTask(name)}>Run ${name}</button>`,
    )
    const discard = html`<button type="button" class="plain" @click=${this.#discard}>Discard edits</button>`
    return html`<label for="data">Data</label>
      <textarea
        id="data"
        class="json"
        rows=${Math.min(30, Math.max(8, this.text.split('\n').length + 1))}
        spellcheck="false"
        ?readonly=${!canSave}
        .value=${this.text}
        @input=${this.#edit}
      ></textarea>
      <div class="case-actions">
        ${canSave ? html`${saving} ${tasks} ${this.#isEdited ? discard : nothing}` : nothing}
      </div>`
  }

  get #isEdited(): boolean {
    return this.text !== printData(this.base.data)
  }

  #viewPatch() {
    const isEmpty = Array.isArray(this.patch) && this.patch.length === 0
    return html`<section aria-label="Patch" class="patch">
      <h2>Patch</h2>
      ${
        isEmpty
          ? html`<p class="quiet">Nothing would change.</p>`
          : html`<pre class="box" tabindex="0">${JSON.stringify(this.patch, null, 2)}</pre>`
      }
    </section>`
  }

  #onKey = (event: KeyboardEvent): void => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
    event.preventDefault()
    if (allows('cases:write') && document.querySelector('dialog[open]') === null) this.#save()
  }

  #edit = ({ target }: Event): void => {
    if (!(target instanceof HTMLTextAreaElement) || this.found === null) return
    this.text = target.value
    this.#keep(this.found.id)
  }

  #discard = (): void => {
    this.#do(async () => {
      this.#take(await this.#load())
      this.notice = 'Your edits were discarded. This is the case as it is stored.'
    })
  }

  #save = (): void => {
    this.#do(async () => {
      const [input, { text }] = [this.#readInput(), this]
      const { saved, case: stored } = (await ask(saveCase, { input })).saveCase
      this.#meet(stored, { data: input.data, text })
      const done = saved ? `Saved as version ${stored.version}.` : 'Nothing changed, so nothing was saved.'
      this.notice = this.#isEdited ? `${done} What you typed meanwhile is not saved yet.` : done
    })
  }

  #dryRun = (): void => {
    this.#do(async () => {
      const input = { ...this.#readInput(), dryRun: true } as const
      this.patch = (await ask(trySave, { input })).saveCase.patch
      this.notice = 'This is what a save would change. Nothing was saved.'
    })
  }

  #readInput() {
    return {
      id: this.found?.id ?? '',
      data: parseObject(this.text, 'Data'),
      ifVersions: [this.base.version],
    }
  }

  #askTask(name: string): void {
    this.querySelector<TaskDialog>('task-dialog')?.ask(name)
  }

  #runTask = ({ detail: { name, params } }: CustomEvent<AskedTask>): void => {
    this.#do(async () => {
      const asked = { caseId: this.found?.id ?? '', name, params, ifVersions: [this.base.version] }
      const { execution, change } = (await ask(runTask, asked)).runCaseTask
      if (change !== null) this.#meet(change.case)
      if (execution.outcome !== 'EXIT')
        throw new Error(execution.message ?? `${execution.error?.code}: ${execution.error?.message}`)
      this.notice = `Ran ${name}. The case is at version ${this.found?.version}.`
    })
  }

  /** Does one thing at a time. What was typed stays, whatever comes of it. */
  #do(action: () => Promise<void>): void {
    if (this.isBusy) return
    this.isBusy = true
    this.error = null
    this.notice = ''
    this.patch = null
    action()
      .catch((error: unknown) => {
        this.error = explain(error)
      })
      .finally(() => {
        this.isBusy = false
      })
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof GatewayError) || error.code !== 'PRECONDITION_FAILED') return error
  return new Error(
    'Nothing was saved: somebody else changed this case meanwhile. ' +
      'Copy what you need of your edits, then discard them.',
  )
}

openPage({
  element: 'case-page',
  type: CasePage,
  keys: [{ keys: 'Ctrl+S', does: 'Saves' }, ...itemKeys],
})
