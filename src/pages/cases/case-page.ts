import { html, nothing } from 'lit'
import { isCode } from '../gateway/gateway-error.ts'
import { ask, askOnce } from '../gateway/operation.ts'
import { allows } from '../gateway/session.ts'
import { compareDocuments } from '../results/difference.ts'
import { isSaveKey } from '../shell/keys.ts'
import { handleItemKeys, itemKeys } from '../shell/list-keys.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, scrollToAlert, setTitle, viewError } from '../shell/page-element.ts'
import { readNumericId } from '../shell/read-id.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import {
  type CaseTask,
  explainDeleted,
  explainTask,
  type FoundCase,
  listTasks,
  loadCase,
  runTask,
  saveCase,
  trySave,
} from './case-documents.ts'
import './case-history.ts'
import { viewChangedMeanwhile, viewPatch } from './change-list.ts'
import {
  type EditedCase,
  isConflict,
  isEdited,
  keepMine,
  type Written,
  withoutEdits,
  withStored,
} from './edited-case.ts'
import { forgetEdits, keepEdits, noRoom, readEdits, viewEdits } from './kept-edits.ts'
import { parseObject } from './parse-object.ts'
import type { AskedTask, TaskDialog } from './task-dialog.ts'
import './task-dialog.ts'

/** The case that the path names: its data, its tasks and its history. */
class CasePage extends PageElement {
  static override properties = {
    edited: { state: true },
    isKept: { state: true },
    tasks: { state: true },
    patch: { state: true },
    notice: { state: true },
    error: { state: true },
    isBusy: { state: true },
  }
  declare edited: EditedCase | null
  /** False if the browser has no room for the edits. */
  declare isKept: boolean
  declare tasks: readonly CaseTask[]
  /** What a dry run would change. */
  declare patch: unknown
  declare notice: string
  declare error: unknown
  declare isBusy: boolean

  constructor() {
    super()
    this.edited = null
    this.isKept = true
    this.tasks = []
    this.patch = null
    this.notice = ''
    this.error = null
    this.isBusy = false
    handleItemKeys('/cases')
    document.addEventListener('keydown', this.#onKey)
    addEventListener('beforeunload', event => this.isKept || event.preventDefault())
    this.#do('', () => this.#open())
  }

  async #open(): Promise<void> {
    const stored = await loadCase(readNumericId())
    const kept = readEdits(stored.id)
    this.#set(kept === null ? withoutEdits(stored) : withStored({ stored, ...kept }, stored))
    if (this.#isEdited) this.notice = 'These are your unsaved edits.'
    setTitle(`Case ${stored.id}`)
    if (allows('functions:read')) void this.#loadTasks(stored.caseTypeCode)
  }

  // Nothing waits for the tasks: a save that is asked for meanwhile would be lost.
  async #loadTasks(caseTypeCode: string): Promise<void> {
    try {
      this.tasks = (await ask(listTasks, { caseTypeCode })).caseTasks.filter(({ enabled }) => enabled)
    } catch (error) {
      this.error ??= error
    }
  }

  /** Shows the case, and keeps what is edited in it. */
  #set(edited: EditedCase): void {
    const { stored, base, text } = edited
    this.edited = edited
    this.isKept = true
    if (isEdited(edited)) this.isKept = keepEdits(stored.id, { base, text })
    else forgetEdits(stored.id)
  }

  #meet(stored: FoundCase, sent?: Written): void {
    this.#set(this.edited === null ? withoutEdits(stored) : withStored(this.edited, stored, sent))
  }

  get #isEdited(): boolean {
    return this.edited !== null && isEdited(this.edited)
  }

  get #isConflict(): boolean {
    return this.edited !== null && isConflict(this.edited)
  }

  override render() {
    const back = html`<p class="back"><a href="/cases">Cases</a></p>`
    if (this.edited === null)
      return html`${back} <h1>Case</h1>
        ${viewError(this.error)} ${viewNotLoaded(this.error)}
        ${this.error === null ? nothing : viewEdits(readNumericId())}`
    const { id, caseTypeCode, version } = this.edited.stored
    return html`${back}
      <h1>Case ${id}</h1>
      <p class="quiet">Type <b>${caseTypeCode}</b>, version ${version}</p>
      <div class="notice" role="status">${this.notice}</div>
      ${viewError(this.error)} ${this.#isConflict ? this.#viewConflict(this.edited) : nothing}
      ${this.#viewEditor(this.edited)} ${this.patch === null ? nothing : viewPatch(this.patch)}
      <case-history .caseId=${id} .version=${version}></case-history>
      <task-dialog @run-task=${this.#runTask}></task-dialog>`
  }

  // A button that is disabled would lose the focus.
  #viewEditor({ text }: EditedCase) {
    const canSave = allows('cases:write')
    const saving = html`<button type="button" class="main" aria-disabled=${this.isBusy} @click=${this.#save}>
        Save <kbd>Ctrl+S</kbd>
      </button>
      <button type="button" aria-disabled=${this.isBusy} @click=${this.#dryRun}>Dry run</button>`
    const tasks = this.tasks.map(({ name }) => {
      const askTask = () => this.#askTask(name)
      return html`<button type="button" aria-disabled=${this.isBusy} @click=${askTask}>Run ${name}</button>`
    })
    const discard = html`<button type="button" class="plain" aria-disabled=${this.isBusy} @click=${this.#discard}>
      Discard edits
    </button>`
    return html`<label for="data">Data</label>
      <textarea
        id="data"
        class="json"
        rows=${Math.min(30, Math.max(8, text.split('\n').length + 1))}
        spellcheck="false"
        ?readonly=${!canSave}
        .value=${text}
        @input=${this.#edit}
      ></textarea>
      <pre class="paper">${text}</pre>
      ${this.isKept ? nothing : html`<p class="note">${noRoom}</p>`}
      <div class="case-actions">
        ${canSave ? html`${saving} ${tasks} ${this.#isEdited ? discard : nothing}` : nothing}
      </div>`
  }

  #viewConflict({ stored, base }: EditedCase) {
    const keepMine = html`<button type="button" aria-disabled=${this.isBusy} @click=${this.#keepMine}>
      Keep my edits
    </button>`
    return viewChangedMeanwhile(stored.version, compareDocuments(base.data, stored.data), keepMine)
  }

  #onKey = (event: KeyboardEvent): void => {
    if (!isSaveKey(event)) return
    event.preventDefault()
    if (allows('cases:write') && document.querySelector('dialog[open]') === null) this.#save()
  }

  #edit = ({ target }: Event): void => {
    if (!(target instanceof HTMLTextAreaElement) || this.edited === null) return
    this.#set({ ...this.edited, text: target.value })
    if (this.patch !== null) this.notice = 'You changed the data after the dry run.'
    this.patch = null
  }

  #discard = (): void => {
    const text = this.edited?.text
    this.#do('', async () => {
      const stored = await loadCase(readNumericId())
      const hasGoneOn = this.edited?.text !== text
      if (hasGoneOn) this.#meet(stored)
      else this.#set(withoutEdits(stored))
      this.notice = hasGoneOn
        ? 'You went on typing, so nothing was discarded.'
        : 'Your edits were discarded. This is the case as it is stored.'
      await this.updateComplete
      // The button that was pressed is gone. The field takes the focus only if nothing else has it.
      if (document.activeElement === document.body) this.querySelector('textarea')?.focus()
    })
  }

  #keepMine = (): void => {
    if (this.edited === null || this.isBusy) return
    this.#set(keepMine(this.edited))
    this.error = null
    this.notice = 'Your edits were kept. Save them to replace what is stored.'
    this.querySelector('textarea')?.focus()
  }

  #save = (): void => {
    this.#do('Saving…', async () => {
      const { text } = this.#readEdited()
      const input = this.#readInput()
      const { saved, case: stored } = (await askOnce(saveCase, { input }).catch(explainDeleted)).saveCase
      this.#meet(stored, { data: input.data, text })
      const done = saved ? `Saved as version ${stored.version}.` : 'Nothing changed, so nothing was saved.'
      this.notice = this.#isEdited ? `${done} What you typed meanwhile is not saved yet.` : done
    })
  }

  #dryRun = (): void => {
    this.#do('Trying…', async () => {
      const { text } = this.#readEdited()
      const input = { ...this.#readInput(), dryRun: true } as const
      const { patch } = (await ask(trySave, { input }).catch(explainDeleted)).saveCase
      const hasGoneOn = this.edited?.text !== text
      if (!hasGoneOn) this.patch = patch
      this.notice = hasGoneOn
        ? 'You went on typing, so try the dry run again.'
        : 'This is what a save would change. Nothing was saved.'
    })
  }

  #readInput() {
    const { stored, base, text } = this.#readEdited()
    return { id: stored.id, data: parseObject(text, 'Data'), ifVersions: [base.version] }
  }

  /** Returns the case to change. Throws if there is none, or if the person has to choose first. */
  #readEdited(): EditedCase {
    if (this.edited === null) throw new Error('There is no case to change.')
    if (!isConflict(this.edited)) return this.edited
    throw new Error('The case changed while you edited it. First keep your edits or discard them.')
  }

  #askTask(name: string): void {
    if (!this.isBusy) this.querySelector<TaskDialog>('task-dialog')?.ask(name)
  }

  #runTask = ({ detail: { name, params } }: CustomEvent<AskedTask>): void => {
    this.#do(`Running ${name}…`, async () => {
      const { stored, base } = this.#readEdited()
      const asked = { caseId: stored.id, name, params, ifVersions: [base.version] }
      const { execution, change } = (await askOnce(runTask, asked)).runCaseTask
      if (change !== null) this.#meet(change.case)
      if (execution.outcome === 'EXIT') this.querySelector<TaskDialog>('task-dialog')?.forget()
      if (execution.outcome !== 'EXIT') throw explainTask(execution)
      const edits = this.#isConflict ? ' It changed what you are editing.' : ' Your edits are not saved yet.'
      const done = `Ran ${name}. The case is at version ${this.edited?.stored.version}.`
      this.notice = this.#isEdited ? done + edits : done
    })
  }

  /** Shows what was saved meanwhile, and returns the error that says so; null if it is what the edits asked for. */
  async #meetOthers(): Promise<Error | null> {
    const changed = 'Nothing was saved: somebody else changed this case meanwhile.'
    const wasEdited = this.#isEdited
    const stored = await loadCase(readNumericId()).catch(() => null)
    if (stored === null) return new Error(`${changed} What they saved could not be loaded. Try again.`)
    this.#meet(stored)
    if (wasEdited && !this.#isEdited) {
      this.notice = `These data are stored already, as version ${this.edited?.stored.version}.`
      return null
    }
    const advice = this.#isConflict
      ? 'Look at what they changed, then keep your edits or discard them.'
      : 'Now you see the case with their changes. Try again.'
    return new Error(`${changed} ${advice}`)
  }

  /** Does one thing at a time, and says so. What was typed stays, also if it fails. */
  #do(doing: string, action: () => Promise<void>): void {
    if (this.isBusy) return
    this.isBusy = true
    this.error = null
    this.notice = doing
    this.patch = null
    action()
      .catch(async (error: unknown) => {
        this.notice = ''
        this.error = isCode(error, 'PRECONDITION_FAILED') ? await this.#meetOthers() : error
      })
      .finally(() => {
        this.isBusy = false
        return scrollToAlert(this)
      })
  }
}

openPage({
  element: 'case-page',
  type: CasePage,
  keys: [{ keys: 'Ctrl+S', does: 'Saves' }, ...itemKeys],
})
