import { html, nothing } from 'lit'
import { allows } from '../gateway/session.ts'
import { type OpenFunction, takeOpened } from '../shell/open-in-playground.ts'
import { openPage } from '../shell/open-page.ts'
import { PageElement, tryAction, viewError } from '../shell/page-element.ts'
import { viewNotLoaded } from '../shell/view-not-loaded.ts'
import { followAddress, forgetFragment, readFunctionId, readLinkFragment, showFunctionId } from './address.ts'
import { assignDraft, type Draft, type Opening, readDraftOfTab } from './draft/draft-store.ts'
import type { DraftsDialog } from './draft/drafts-dialog.ts'
import './draft/drafts-dialog.ts'
import { type Example, firstFields } from './draft/examples.ts'
import { type Fields, readLink } from './draft/link.ts'
import type { LinkBox } from './draft/link-box.ts'
import { WorkingDraft } from './draft/working-draft.ts'
import { FieldEditors } from './editor/field-editors.ts'
import { viewInput, viewScript } from './editor/view-fields.ts'
import { LayoutController } from './layout/layout-controller.ts'
import type { Problem } from './types/protocol.ts'
import './layout/pane-tabs.ts'
import { handlePlaygroundKeys, listPlaygroundKeys } from './playground-keys.ts'
import './results/result-panels.ts'
import { RunController } from './results/run-controller.ts'
import { viewRunBar } from './results/view-run-bar.ts'
import { loadFunction, notLoaded, type StoredFunction, toOpen } from './save/function-documents.ts'
import type { SaveDialog } from './save/save-dialog.ts'
import './save/save-dialog.ts'
import { TypeController } from './types/type-controller.ts'
import { showTitle, viewBar } from './view-bar.ts'

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
  // The script of the version with `baseHash`, if it is known.
  #base: string | null = null
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
    const [run, stop] = [() => this.#start(), () => this.#run.stop()]
    const chooseTab = (index: number) => this.#layout.showResult(index)
    handlePlaygroundKeys({ run, stop, save: this.#save, chooseTab })
    followAddress(this.#openLink, () => this.#open?.id ?? null)
    this.#openFirst().catch((error: unknown) => this.#say('', error))
  }

  override render() {
    const { isNarrow } = this.#layout
    const { state, isRunning } = this.#run
    const error = this.error ?? state.error
    const runBar = viewRunBar({ state, isRunning, run: () => this.#start(true), stop: this.#stop })
    const tabs = html`<pane-tabs .layout=${this.#layout} .run=${state}></pane-tabs>`
    return html`<div class="playground">
      ${this.#viewBar()}
      ${viewError(error, this.#isUnopened ? viewNotLoaded(error) : nothing)}
      ${isNarrow ? tabs : nothing} ${this.#viewFields()}
      ${isNarrow ? nothing : runBar}
      <section class="outcome" aria-label="Run" ?hidden=${!this.#layout.shows('results')}>
        ${isNarrow ? nothing : tabs}
        <result-panels .run=${state} .chosen=${this.#layout.result}></result-panels>
      </section>
      ${isNarrow ? runBar : nothing}
      <save-dialog></save-dialog>
      <drafts-dialog .working=${this.#draft} @open-draft=${this.#openDraft}></drafts-dialog>
    </div>`
  }

  #viewFields() {
    const { note, extras } = this.#types
    const notes = { place: this.place, types: note, draft: this.draftNote }
    const goTo = (problem: Problem) => this.#editors.script.goTo(problem)
    const view = { layout: this.#layout, onEdit: this.#noteEdit }
    const script = { extras, notes, problems: this.#problems, onMove: this.#showPlace, goTo }
    return [viewScript({ ...view, ...script }), viewInput(view)]
  }

  #viewBar() {
    return viewBar({
      open: this.#open,
      notice: this.notice,
      readFields: () => this.#editors.fields,
      say: (notice, error) => this.#say(notice, error),
      chooseExample: this.#chooseExample,
      showDrafts: () => this.querySelector<DraftsDialog>('drafts-dialog')?.show(),
      save: this.#save,
    })
  }

  get #problems(): readonly Problem[] {
    return [...this.#run.problems, ...this.#types.problems]
  }

  override updated(): void {
    this.#editors.script.showProblems(this.#problems)
    showTitle(this.#open)
  }

  #fill(fields: Fields, { open = null, cursor = 0, base = null }: Opening = {}): void {
    this.#open = open
    this.#base = base
    this.#layout.show('script')
    this.#editors.open(fields, cursor)
    this.#showPlace()
    this.#run.forget()
    this.#forgetOutdated()
  }

  // A link comes before a function, and both before the draft of the tab.
  async #openFirst(): Promise<void> {
    await this.updateComplete
    const id = readFunctionId()
    const draft = readDraftOfTab()
    const isAsked = draft !== null && (id === null || draft.function?.id === id)
    if (isAsked) this.#continue(draft)
    else this.#fill(firstFields)
    if (id !== null && !isAsked) await this.#openFunction(id).catch((error: unknown) => this.#say('', error))
    const opened = takeOpened({ isWanted: id === null && readLinkFragment() === null })
    await this.#openLink()
    if (opened !== null) this.#openNew(opened.fields, opened.notice, opened)
    if (isAsked || opened !== null) await this.#findNewer()
  }

  #continue(draft: Draft): void {
    const { function: open, cursor, isBase = false, script } = draft
    this.#draft.continue(draft)
    this.#fill(draft, { open, cursor, base: isBase ? script : null })
    showFunctionId(open?.id ?? null)
  }

  async #openFunction(id: string): Promise<void> {
    this.#say('Loading the function…')
    const found = await loadFunction(id)
    // A person who began to write meanwhile has a draft without a function, or has opened a draft of this one.
    const late = `“${found.name}” was not opened, because you began something else while it loaded`
    if (readFunctionId() === null) this.#say(`${this.notice} ${late}`.trim(), this.error)
    if (readFunctionId() !== id || !this.#isUnopened) return
    const [base, open] = [found.live.sourceCode, toOpen(found)]
    const fields = { ...firstFields, script: base }
    this.#draft.begin(fields, open)
    this.#fill(fields, { open, base })
    this.#say(this.#draft.hasUnsaved(id) ? 'Your unsaved changes to this function are among the drafts' : '')
  }

  /** True while the function that the address names has not come, or if it could not be opened. */
  get #isUnopened(): boolean {
    return this.#open === null && readFunctionId() !== null
  }

  // A version may have become live since the draft began. Without a gateway the draft is shown as it is.
  async #findNewer(): Promise<void> {
    const open = this.#open
    const found = open === null ? null : await loadFunction(open.id).catch(() => null)
    if (found === null || this.#open !== open) return
    const { hash, sourceCode: live } = found.live
    const [isNew, isSame] = [hash !== open?.baseHash, live === this.#editors.fields.script]
    if (isSame && (isNew || !this.#isBase)) this.#noteLive(toOpen(found), live, this.notice)
    else if (!isNew) this.#base = live
    else if (this.#isBase) this.#takeLive(found, 'Another version is live now; undo brings the last one back')
    else this.#say(`${this.notice} Another version is live now; Save shows both`.trim())
  }

  get #isBase(): boolean {
    return this.#base === this.#editors.fields.script
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
  #openNew(fields: Fields, notice: string, { open = null, isExample = false }: Opening = {}): void {
    this.#draft.begin(fields, open)
    this.#fill(fields, { open })
    showFunctionId(open?.id ?? null)
    this.#draft.note({ fields, cursor: 0, open, isExample })
    this.#say(notice)
  }

  #say(notice: string, error: unknown = null): void {
    this.notice = notice
    this.error = error
  }

  #noteEdit = (): void => {
    this.notice = ''
    this.#forgetOutdated()
    this.#noteDraft()
  }

  // The link and the problems that are shown belong to other fields.
  #forgetOutdated(): void {
    this.querySelector<LinkBox>('link-box')?.close()
    this.#run.forgetProblems()
    this.#types.check(this.#editors.fields)
  }

  #noteDraft(): void {
    if (this.#isUnopened) showFunctionId(null)
    const { fields, script } = this.#editors
    this.#draft.note({ fields, cursor: script.offset, open: this.#open, isBase: this.#isBase })
  }

  #showPlace = (): void => {
    this.place = this.#editors.script.place
    this.#draft.move(this.#editors.script.offset)
  }

  // A key leaves the focus where it is, so a narrow page goes on showing the editor. A click shows the result.
  #start(isClick = false): void {
    if (!allows('tasks:execute') || this.#run.isRunning) return
    if (this.#isUnopened) return this.#run.refuse(notLoaded)
    this.error = null
    const found = this.#editors.findFault()
    if (found === null) {
      if (isClick) this.#layout.show('results')
      return this.#run.start(this.#editors.fields, this.#open)
    }
    this.#run.refuse(found.error)
    if (isClick) this.#layout.show('input')
    if (isClick) this.updateComplete.then(found.goTo)
  }

  #stop = (): void => {
    this.#run.stop()
    this.querySelector<HTMLElement>('.run-bar button')?.focus()
  }

  #save = (): void => {
    if (!allows('functions:write') || this.querySelector('dialog[open]') !== null) return
    if (this.#isUnopened) return this.#run.refuse(notLoaded)
    const { script } = this.#editors.fields
    const id = this.#draft.identify(this.#editors.fields, this.#open)
    const onSaved = (saved: StoredFunction) => {
      const open = toOpen(saved)
      if (this.#draft.id === id) return this.#noteLive(open, script, 'Saved: this version is live')
      if (id !== null) assignDraft(id, open, script)
      this.#say(`Saved ${open.name}: this version is live`)
    }
    const onFailed = (error: unknown) => this.#say('', error)
    const onTakeTheirs = (theirs: StoredFunction) =>
      this.#takeLive(theirs, 'This is the live version; undo brings yours back')
    const dialog = this.querySelector<SaveDialog>('save-dialog')
    dialog?.ask({ script, function: this.#open, draft: id, onSaved, onFailed, onTakeTheirs }).catch(() => {})
  }

  #takeLive(found: StoredFunction, notice: string): void {
    this.#editors.script.replace(found.live.sourceCode)
    this.#noteLive(toOpen(found), found.live.sourceCode, notice)
  }

  #noteLive(open: OpenFunction, script: string, notice: string): void {
    this.#open = open
    this.#base = script
    showFunctionId(open.id)
    this.#noteDraft()
    this.notice = notice
    this.requestUpdate()
  }

  #chooseExample = ({ detail: { name, ...fields } }: CustomEvent<Example>): void =>
    tryAction(this, async () => this.#openNew(fields, `Example: ${name}`, { isExample: true }))

  #openDraft = ({ detail }: CustomEvent<Draft>): void =>
    tryAction(this, async () => {
      this.#continue(detail)
      this.#say('')
      await this.#findNewer().catch(() => {})
    })
}

openPage({ element: 'playground-page', type: PlaygroundPage, keys: listPlaygroundKeys() })
