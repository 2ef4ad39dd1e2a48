import { html, nothing } from 'lit'
import { ask } from '../gateway/operation.ts'
import { takeOpened } from '../shell/open-in-playground.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, viewError } from '../shell/page-element.ts'
import { allows } from '../shell/session.ts'
import { type Draft, type OpenFunction, takeDraft } from './draft/draft-store.ts'
import type { DraftsDialog } from './draft/drafts-dialog.ts'
import './draft/drafts-dialog.ts'
import type { Example } from './draft/examples.ts'
import './draft/examples-menu.ts'
import { firstFields } from './draft/examples.ts'
import { type Fields, isLink, readLink, writeLink } from './draft/link.ts'
import { WorkingDraft } from './draft/working-draft.ts'
import { FieldEditors, viewEditor } from './editor/field-editors.ts'
import type { Problem } from './types/protocol.ts'
import './editor/problem-list.ts'
import { handlePlaygroundKeys, playgroundKeys } from './playground-keys.ts'
import type { ResultTabs } from './results/result-tabs.ts'
import './results/result-tabs.ts'
import { describeRun } from '../results/run-state.ts'
import { RunController } from './results/run-controller.ts'
import { functionToOpen, type StoredFunction, toOpen } from './save/function-documents.ts'
import type { SaveDialog } from './save/save-dialog.ts'
import './save/save-dialog.ts'
import { TypeController } from './types/type-controller.ts'

/** Where a person writes a script, sees it run and saves it. */
class PlaygroundPage extends PageElement {
  static override properties = {
    place: { state: true },
    notice: { state: true },
    error: { state: true },
    link: { state: true },
    draftNote: { state: true },
  }
  declare place: string
  declare notice: string
  declare error: unknown
  declare link: string | null
  declare draftNote: string
  #open: OpenFunction | null = null
  readonly #editors = new FieldEditors(this)
  readonly #draft = new WorkingDraft(note => {
    this.draftNote = note
  })
  readonly #run = new RunController(this)
  readonly #types = new TypeController(this)

  constructor() {
    super()
    this.place = 'Ln 1, Col 1'
    this.notice = ''
    this.error = null
    this.link = null
    this.draftNote = ''
  }

  override firstUpdated(): void {
    handlePlaygroundKeys({
      run: () => this.#start(),
      stop: () => this.#run.stop(),
      save: () => this.#save(),
      chooseTab: index => this.querySelector<ResultTabs>('result-tabs')?.choose(index),
    })
    addEventListener('hashchange', () => this.#openLink())
    this.#openFirst().catch((error: unknown) => {
      this.error = error
    })
  }

  override render() {
    const canRun = allows('tasks:execute')
    const canSave = allows('functions:write')
    return html`<div class="playground">
      <div class="bar">
        <h1>${this.#open === null ? 'Playground' : this.#open.name}</h1>
        <span role="status" class="quiet">${this.notice}</span>
        <span class="actions">
          <examples-menu @choose-example=${this.#chooseExample}></examples-menu>
          <button type="button" @click=${this.#showDrafts}>Drafts</button>
          <button type="button" @click=${this.#makeLink}>Link</button>
          ${canSave ? html`<button type="button" @click=${this.#save}>Save</button>` : nothing}
        </span>
      </div>
      ${viewError(this.error)} ${this.link === null ? nothing : this.#viewLink(this.link)}
      <section class="script" aria-label="Source">
        <h2>Script</h2>
        ${this.#viewEditor('script')}
        <div class="below">
          <span>${this.place}</span>
          <span role="status">${this.#types.note}</span>
          <span role="status">${this.draftNote}</span>
          <span class="hint">Esc, then Tab leaves an editor</span>
        </div>
        <problem-list .problems=${this.#problems} @choose-problem=${this.#goToProblem}></problem-list>
      </section>
      <section class="input" aria-label="Data">
        <h2>Input</h2>
        ${this.#viewEditor('input')}
        <h2>Options</h2>
        ${this.#viewEditor('options')}
      </section>
      <section class="outcome" aria-label="Run">
        <div class="run-bar">
          ${
            canRun
              ? html`<button type="button" class="main" @click=${() => this.#start(true)}>
                  Run <kbd>Ctrl+Enter</kbd>
                </button>`
              : nothing
          }
          <button type="button" ?disabled=${!this.#run.isRunning} @click=${this.#stop}>Stop <kbd>Esc</kbd></button>
          <span role="status" class="run-status ${this.#run.state.execution?.outcome ?? this.#run.state.phase}">
            ${describeRun(this.#run.state)}
          </span>
        </div>
        <result-tabs .run=${this.#run.state}></result-tabs>
      </section>
      <save-dialog></save-dialog>
      <drafts-dialog @open-draft=${this.#openDraft}></drafts-dialog>
    </div>`
  }

  #viewEditor(name: keyof Fields) {
    const isScript = name === 'script'
    const extras = isScript ? this.#types.extras : []
    return viewEditor({ name, extras, onEdit: this.#noteEdit, onMove: isScript ? this.#showPlace : () => {} })
  }

  #viewLink(link: string) {
    return html`<div class="link">
      <label for="link">Link</label>
      <input id="link" readonly .value=${link} @focus=${selectAll} />
    </div>`
  }

  get #problems(): readonly Problem[] {
    return [...this.#run.problems, ...this.#types.problems]
  }

  override updated(): void {
    this.#editors.script.showProblems(this.#problems)
  }

  #goToProblem = ({ detail }: CustomEvent<Problem>): void => this.#editors.script.goTo(detail)

  #fill(
    fields: Fields,
    { open = null, cursor = 0 }: { open?: OpenFunction | null; cursor?: number } = {},
  ): void {
    this.#open = open
    this.#editors.open(fields, cursor)
    this.#showPlace()
    this.#run.forgetProblems()
    this.#types.check(this.#editors.fields)
    this.requestUpdate()
  }

  // A link comes before a function, and both before the draft of the tab.
  async #openFirst(): Promise<void> {
    await this.updateComplete
    const id = new URLSearchParams(location.search).get('function')
    const draft = this.#draft.restore()
    if (draft !== null && (id === null || draft.function?.id === id))
      this.#fill(draft, { open: draft.function, cursor: draft.cursor })
    else this.#fill(firstFields)
    if (draft !== null && id === null && draft.function !== null) this.#showAddress(draft.function.id)
    if (id !== null && draft?.function?.id !== id) await this.#openFunction(id)
    await this.#openLink()
    const opened = takeOpened()
    if (opened !== null) this.#openNew(opened.fields, opened.notice)
  }

  async #openFunction(id: string): Promise<void> {
    const found = (await ask(functionToOpen, { id })).function
    if (found === null) throw new Error('There is no such function.')
    const fields = { ...firstFields, script: found.live.sourceCode }
    const open = toOpen(found)
    this.#draft.begin(fields, open)
    this.#fill(fields, { open })
  }

  #openLink = async (): Promise<void> => {
    if (!isLink(location.hash)) return
    try {
      const fields = await readLink(location.hash)
      this.#openNew(fields, 'From a link: read it before you run it')
      this.error = null
    } catch (error) {
      this.error = error
    }
    history.replaceState(null, '', location.pathname + location.search)
  }

  /** Opens other fields as a draft of their own, so that the one before stays among the drafts. */
  #openNew(fields: Fields, notice: string): void {
    this.#draft.begin(fields)
    this.#fill(fields)
    this.#showAddress(null)
    this.#draft.note({ fields, cursor: 0, open: null })
    this.notice = notice
  }

  #showAddress(functionId: string | null): void {
    const query = functionId === null ? '' : `?function=${encodeURIComponent(functionId)}`
    history.replaceState(null, '', `/playground${query}`)
  }

  #noteEdit = (): void => {
    this.notice = ''
    this.link = null
    this.#run.forgetProblems()
    this.#noteDraft()
    this.#types.check(this.#editors.fields)
  }

  #noteDraft(): void {
    this.#draft.note({ fields: this.#editors.fields, cursor: this.#editors.script.offset, open: this.#open })
  }

  #showPlace = (): void => {
    const { line, column } = this.#editors.script.cursor
    this.place = `Ln ${line}, Col ${column}`
    this.#draft.move(this.#editors.script.offset)
  }

  #start(isClick = false): void {
    if (!allows('tasks:execute') || this.#run.isRunning) return
    this.error = null
    this.#run.start(this.#editors.fields, this.#open)
    if (isClick && matchMedia('(width < 60rem)').matches)
      this.querySelector('.outcome')?.scrollIntoView({ block: 'start' })
  }

  #stop = (): void => {
    this.#run.stop()
    this.querySelector<HTMLElement>('.run-bar button')?.focus()
  }

  #save = (): void => {
    if (!allows('functions:write') || this.querySelector('dialog[open]') !== null) return
    const request = {
      script: this.#editors.fields.script,
      function: this.#open,
      onSaved: (saved: StoredFunction) => this.#noteSaved(saved, 'Saved: this version is live'),
      onTakeTheirs: (theirs: StoredFunction) => {
        this.#editors.script.replace(theirs.live.sourceCode)
        this.#noteSaved(theirs, 'This is the live version; undo brings yours back')
      },
    }
    this.querySelector<SaveDialog>('save-dialog')
      ?.ask(request)
      .catch(() => {})
  }

  #noteSaved(saved: StoredFunction, notice: string): void {
    this.#open = toOpen(saved)
    this.#showAddress(saved.id)
    this.#noteDraft()
    this.notice = notice
    this.requestUpdate()
  }

  #makeLink = async (): Promise<void> => {
    this.error = null
    this.link = null
    try {
      this.link = `${location.origin}/playground#${await writeLink(this.#editors.fields)}`
      this.notice = await navigator.clipboard.writeText(this.link).then(
        () => 'Link copied',
        () => 'Copy the link below',
      )
    } catch (error) {
      this.error = error
    }
  }

  #chooseExample = ({ detail }: CustomEvent<Example>): void => {
    const { script, input, options } = detail
    this.#openNew({ script, input, options }, `Example: ${detail.name}`)
  }

  #showDrafts = (): void => {
    this.querySelector<DraftsDialog>('drafts-dialog')?.show()
  }

  #openDraft = ({ detail }: CustomEvent<Draft>): void => {
    takeDraft(detail)
    this.#draft.continue(detail)
    this.#fill(detail, { open: detail.function, cursor: detail.cursor })
    this.#showAddress(detail.function?.id ?? null)
  }
}

function selectAll({ target }: Event): void {
  if (target instanceof HTMLInputElement) target.select()
}

openPage({ element: 'playground-page', type: PlaygroundPage, keys: playgroundKeys })
