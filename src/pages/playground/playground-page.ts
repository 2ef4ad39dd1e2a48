import { html, nothing } from 'lit'
import { takeOpened } from '../shell/open-in-playground.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, viewError } from '../shell/page-element.ts'
import { allows } from '../shell/session.ts'
import { forgetFragment, readFunctionId, readLinkFragment, showFunctionId } from './address.ts'
import { type Draft, type OpenFunction, takeDraft } from './draft/draft-store.ts'
import type { DraftsDialog } from './draft/drafts-dialog.ts'
import './draft/drafts-dialog.ts'
import { type Example, firstFields } from './draft/examples.ts'
import './draft/examples-menu.ts'
import { type Fields, readLink } from './draft/link.ts'
import type { LinkBox } from './draft/link-box.ts'
import './draft/link-box.ts'
import { WorkingDraft } from './draft/working-draft.ts'
import { FieldEditors } from './editor/field-editors.ts'
import type { Problem } from './types/protocol.ts'
import './editor/problem-list.ts'
import { LayoutController } from './layout/layout-controller.ts'
import './layout/pane-tabs.ts'
import { handlePlaygroundKeys, playgroundKeys } from './playground-keys.ts'
import './results/result-panels.ts'
import { RunController } from './results/run-controller.ts'
import { viewRunBar } from './results/view-run-bar.ts'
import { loadFunction, type StoredFunction, toOpen } from './save/function-documents.ts'
import type { SaveDialog } from './save/save-dialog.ts'
import './save/save-dialog.ts'
import { TypeController } from './types/type-controller.ts'

/** Where a person writes a script, sees it run and saves it. */
class PlaygroundPage extends PageElement {
  static override properties = {
    place: { state: true },
    notice: { state: true },
    error: { state: true },
    draftNote: { state: true },
  }
  declare place: string
  declare notice: string
  declare error: unknown
  declare draftNote: string
  #open: OpenFunction | null = null
  readonly #editors = new FieldEditors(this)
  readonly #draft = new WorkingDraft(note => {
    this.draftNote = note
  })
  readonly #layout = new LayoutController(this)
  readonly #run = new RunController(this)
  readonly #types = new TypeController(this)

  constructor() {
    super()
    this.place = 'Ln 1, Col 1'
    this.notice = ''
    this.error = null
    this.draftNote = ''
  }

  override firstUpdated(): void {
    handlePlaygroundKeys({
      run: () => this.#start(),
      stop: () => this.#run.stop(),
      save: () => this.#save(),
      chooseTab: index => this.#layout.showResult(index),
    })
    addEventListener('hashchange', () => this.#openLink())
    this.#openFirst().catch((error: unknown) => this.#say('', error))
  }

  override render() {
    const { isNarrow } = this.#layout
    const { state, isRunning } = this.#run
    const runBar = viewRunBar({ state, isRunning, run: () => this.#start(true), stop: this.#stop })
    const tabs = html`<pane-tabs .layout=${this.#layout} .run=${state}></pane-tabs>`
    return html`<div class="playground">
      ${this.#viewBar()} ${viewError(this.error ?? state.error)}
      ${isNarrow ? tabs : nothing} ${this.#viewScript()} ${this.#viewInput()}
      ${isNarrow ? nothing : runBar}
      <section class="outcome" aria-label="Run" ?hidden=${!this.#layout.shows('results')}>
        ${isNarrow ? nothing : tabs}
        <result-panels .run=${state} .chosen=${this.#layout.result}></result-panels>
      </section>
      ${isNarrow ? runBar : nothing}
      <save-dialog></save-dialog>
      <drafts-dialog @open-draft=${this.#openDraft} @forget-drafts=${() => this.#draft.forget()}></drafts-dialog>
    </div>`
  }

  #viewBar() {
    return html`<div class="bar">
      <h1>${this.#open === null ? 'Playground' : this.#open.name}</h1>
      <span role="status" class="notice">${this.notice}</span>
      <span class="actions">
        <examples-menu @choose-example=${this.#chooseExample}></examples-menu>
        <button type="button" @click=${() => this.querySelector<DraftsDialog>('drafts-dialog')?.show()}>Drafts</button>
        <link-box
          .read=${() => this.#editors.fields}
          @link-made=${({ detail }: CustomEvent<string>) => this.#say(detail)}
          @link-refused=${({ detail }: CustomEvent<unknown>) => this.#say('', detail)}
        ></link-box>
        ${allows('functions:write') ? html`<button type="button" @click=${this.#save}>Save</button>` : nothing}
      </span>
    </div>`
  }

  #viewScript() {
    return html`<section
      class="script"
      id="pane-script"
      role=${this.#layout.role}
      aria-label="Source"
      ?hidden=${!this.#layout.shows('script')}
    >
      <div class="field-head"><h2>Script</h2></div>
      <code-editor
        label="Script"
        language="javascript"
        .extras=${this.#types.extras}
        @edit=${this.#noteEdit}
        @move=${this.#showPlace}
      ></code-editor>
      <div class="below">
        <span>${this.place}</span>
        <span role="status">${this.#types.note}</span>
        <span role="status">${this.draftNote}</span>
        <span class="hint">Esc, then Tab leaves an editor</span>
      </div>
      <problem-list
        .problems=${this.#problems}
        @choose-problem=${({ detail }: CustomEvent<Problem>) => this.#editors.script.goTo(detail)}
      ></problem-list>
    </section>`
  }

  #viewInput() {
    return html`<section
      class="input"
      id="pane-input"
      role=${this.#layout.role}
      aria-label="Data"
      ?hidden=${!this.#layout.shows('input')}
      @edit=${this.#noteEdit}
    >
      <json-field label="Input" hint="payload in the script"></json-field>
      <json-field label="Options" hint='options in the script, e.g. { "params": { … } }'></json-field>
    </section>`
  }

  get #problems(): readonly Problem[] {
    return [...this.#run.problems, ...this.#types.problems]
  }

  override updated(): void {
    this.#editors.script.showProblems(this.#problems)
  }

  #fill(
    fields: Fields,
    { open = null, cursor = 0 }: { open?: OpenFunction | null; cursor?: number } = {},
  ): void {
    this.#open = open
    this.#layout.show('script')
    this.#editors.open(fields, cursor)
    this.#showPlace()
    this.#run.forgetProblems()
    this.#types.check(this.#editors.fields)
    this.requestUpdate()
  }

  // A link comes before a function, and both before the draft of the tab.
  async #openFirst(): Promise<void> {
    await this.updateComplete
    const id = readFunctionId()
    const draft = this.#draft.restore()
    if (draft !== null && (id === null || draft.function?.id === id))
      this.#fill(draft, { open: draft.function, cursor: draft.cursor })
    else this.#fill(firstFields)
    if (draft !== null && id === null && draft.function !== null) showFunctionId(draft.function.id)
    if (id !== null && draft?.function?.id !== id) await this.#openFunction(id)
    await this.#openLink()
    const opened = takeOpened()
    if (opened !== null) this.#openNew(opened.fields, opened.notice)
  }

  async #openFunction(id: string): Promise<void> {
    const found = await loadFunction(id)
    const fields = { ...firstFields, script: found.live.sourceCode }
    const open = toOpen(found)
    this.#draft.begin(fields, open)
    this.#fill(fields, { open })
  }

  #openLink = async (): Promise<void> => {
    const fragment = readLinkFragment()
    if (fragment === null) return
    try {
      this.#openNew(await readLink(fragment), 'From a link: read it before you run it')
    } catch (error) {
      this.#say('', error)
    }
    forgetFragment()
  }

  /** Opens other fields as a draft of their own, so that the one before stays among the drafts. */
  #openNew(fields: Fields, notice: string, isExample = false): void {
    this.#draft.begin(fields)
    this.#fill(fields)
    showFunctionId(null)
    this.#draft.note({ fields, cursor: 0, open: null, isExample })
    this.#say(notice)
  }

  #say(notice: string, error: unknown = null): void {
    this.notice = notice
    this.error = error
  }

  #noteEdit = (): void => {
    this.notice = ''
    this.querySelector<LinkBox>('link-box')?.close()
    this.#run.forgetProblems()
    this.#noteDraft()
    this.#types.check(this.#editors.fields)
  }

  #noteDraft(): void {
    // The address may name a function that could not be opened.
    if (this.#open === null && readFunctionId() !== null) showFunctionId(null)
    this.#draft.note({ fields: this.#editors.fields, cursor: this.#editors.script.offset, open: this.#open })
  }

  #showPlace = (): void => {
    const { line, column } = this.#editors.script.cursor
    this.place = `Ln ${line}, Col ${column}`
    this.#draft.move(this.#editors.script.offset)
  }

  // A key leaves the focus where it is, so a narrow page goes on showing the editor. A click shows what comes of it.
  #start(isClick = false): void {
    if (!allows('tasks:execute') || this.#run.isRunning) return
    this.error = null
    const found = this.#editors.findFault()
    if (found === null) {
      if (isClick) this.#layout.show('results')
      this.#run.start(this.#editors.fields, this.#open)
      return
    }
    this.#run.refuse(found.error)
    if (!isClick) return
    this.#layout.show('input')
    this.updateComplete.then(found.goTo)
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
    showFunctionId(saved.id)
    this.#noteDraft()
    this.notice = notice
    this.requestUpdate()
  }

  #chooseExample = ({ detail }: CustomEvent<Example>): void => {
    const { script, input, options } = detail
    this.#openNew({ script, input, options }, `Example: ${detail.name}`, true)
  }

  #openDraft = ({ detail }: CustomEvent<Draft>): void => {
    takeDraft(detail)
    this.#draft.continue(detail)
    this.#fill(detail, { open: detail.function, cursor: detail.cursor })
    showFunctionId(detail.function?.id ?? null)
    this.#say('')
  }
}

openPage({ element: 'playground-page', type: PlaygroundPage, keys: playgroundKeys })
