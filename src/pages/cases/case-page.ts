import { html, nothing } from 'lit'
import { GatewayError } from '../gateway/gateway-error.ts'
import { ask } from '../gateway/operation.ts'
import { handleItemKeys, itemKeys } from '../shell/list-keys.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, viewError, viewLoading } from '../shell/page-element.ts'
import { allows } from '../shell/session.ts'
import {
  type CaseTask,
  type FoundCase,
  findCase,
  listTasks,
  runTask,
  saveCase,
  trySave,
} from './case-documents.ts'
import './case-history.ts'
import { forgetEdits, keepEdits, readEdits } from './kept-edits.ts'
import { parseObject } from './parse-object.ts'
import type { AskedTask, TaskDialog } from './task-dialog.ts'
import './task-dialog.ts'

/** The case that the path names: its data, its tasks and its history. */
class CasePage extends PageElement {
  static override properties = {
    found: { state: true },
    text: { state: true },
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
  /** What a dry run would change. */
  declare patch: unknown
  declare notice: string
  declare error: unknown
  declare isBusy: boolean
  /** The version that the edits began with. */
  #version = 0

  constructor() {
    super()
    this.found = null
    this.text = ''
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
    if (edits !== null && edits.text !== this.text) {
      this.text = edits.text
      this.#version = edits.version
      this.notice = 'These are your unsaved edits.'
    }
    document.title = `Case ${found.id} · Rostrum`
    if (allows('functions:read'))
      this.tasks = (await ask(listTasks, { caseTypeCode: found.caseTypeCode })).caseTasks.filter(
        ({ enabled }) => enabled,
      )
  }

  async #load(): Promise<FoundCase> {
    const id = decodeURIComponent(location.pathname.split('/')[2] ?? '')
    const isId = /^[1-9]\d{0,15}$/.test(id)
    const found = isId ? (await ask(findCase, { id })).case : null
    if (found === null) throw new Error('There is no such case. It may have been deleted.')
    this.found = found
    return found
  }

  /** Shows the data as they are stored. */
  #show({ version, data }: FoundCase): void {
    this.text = JSON.stringify(data, null, 2)
    this.#version = version
  }

  /** Shows the data as they are stored, because the edits are saved or discarded. */
  #take(stored: FoundCase): void {
    this.#show(stored)
    forgetEdits(stored.id)
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
    const isEdited = this.text !== this.#stored
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
        ${canSave ? html`${saving} ${tasks} ${isEdited ? discard : nothing}` : nothing}
      </div>`
  }

  get #stored(): string {
    return JSON.stringify(this.found?.data ?? {}, null, 2)
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
    keepEdits(this.found.id, { version: this.#version, text: this.text })
  }

  #discard = (): void => {
    this.#do(async () => {
      this.#take(await this.#load())
      this.notice = 'Your edits were discarded. This is the case as it is stored.'
    })
  }

  #save = (): void => {
    this.#do(async () => {
      const { saved, case: stored } = (await ask(saveCase, { input: this.#readInput() })).saveCase
      this.found = stored
      this.#take(stored)
      this.notice = saved ? `Saved as version ${this.#version}.` : 'Nothing changed, so nothing was saved.'
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
      ifVersions: [this.#version],
    }
  }

  #askTask(name: string): void {
    this.querySelector<TaskDialog>('task-dialog')?.ask(name)
  }

  #runTask = ({ detail: { name, params } }: CustomEvent<AskedTask>): void => {
    this.#do(async () => {
      const isEdited = this.text !== this.#stored
      const asked = { caseId: this.found?.id ?? '', name, params, ifVersions: [this.#version] }
      const { execution, change } = (await ask(runTask, asked)).runCaseTask
      if (change !== null) this.found = change.case
      if (change !== null && !isEdited) this.#take(change.case)
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
