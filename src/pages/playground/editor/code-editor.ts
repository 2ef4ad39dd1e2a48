import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentUnit } from '@codemirror/language'
import { EditorSelection, EditorState, type Extension, Text } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { css, html, LitElement } from 'lit'
import type { Problem } from '../types/protocol.ts'
import { find } from './find.ts'
import { findJsonFault, marks, positionOf, showMarks } from './problems.ts'
import { theme } from './theme.ts'

/** A place of the cursor, from 1. */
export interface Cursor {
  readonly line: number
  readonly column: number
}

// Without the one that takes a selection back: Escape lets the next Tab leave the editor.
const textKeys = defaultKeymap.filter(({ key }) => key !== 'Escape')

// The browser would replace several lines, or insert some, by elements with inline styles, which the policy refuses.
const insertion = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event
    if (inputType !== 'insertText' || data === null || isComposing || view.state.readOnly) return false
    const { from, to } = readSelection(view)
    if (from === to && data.length === 1) return false
    const insert = view.state.toText(data)
    const userEvent = data.length === 1 ? 'input.type' : 'input.paste'
    const selection = { anchor: from + insert.length }
    view.dispatch({ changes: { from, to, insert }, selection, scrollIntoView: true, userEvent })
    event.preventDefault()
    return true
  },
})

// Returns the selection of the page, because the editor learns of a new one a moment later.
function readSelection(view: EditorView): { readonly from: number; readonly to: number } {
  const root = view.root as ShadowRoot & { getSelection?: () => Selection | null }
  const selection = root.getSelection?.() ?? document.getSelection()
  const { anchorNode, focusNode } = selection ?? {}
  const isInside = view.contentDOM.contains(anchorNode ?? null) && view.contentDOM.contains(focusNode ?? null)
  if (selection == null || anchorNode == null || focusNode == null || !isInside)
    return view.state.selection.main
  const anchor = view.posAtDOM(anchorNode, selection.anchorOffset)
  const focus = view.posAtDOM(focusNode, selection.focusOffset)
  return { from: Math.min(anchor, focus), to: Math.max(anchor, focus) }
}

/** A text, and the same as the editor has it: all its lines end with `\n`. */
interface Opened {
  readonly text: string
  readonly doc: Text
}

function toOpened(text: string): Opened {
  return { text, doc: Text.of(text.split(/\r\n?|\n/)) }
}

function usesCrlf(text: string): boolean {
  return text.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(text)
}

// In a low window, the bar with “Run” covers the end of the editor. The style sheet says how much the bar needs.
const aboveBar = EditorView.scrollMargins.of(({ scrollDOM }) => {
  const barHeight = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingBottom) || 0
  const covered = scrollDOM.getBoundingClientRect().bottom - (innerHeight - barHeight)
  return { bottom: Math.min(barHeight, Math.max(0, covered)) }
})

function prefersStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/**
 * A text field for code. Its shadow root holds CodeMirror, whose styles the policy would refuse elsewhere. It sends
 * `edit` after each change of the text and `move` after each move of the cursor.
 */
export class CodeEditor extends LitElement {
  static override properties = { label: {}, language: {} }
  static override styles = css`
    :host { display: block; min-height: 0; overflow: hidden; }
    .mount { height: 100%; }
    .paper { display: none; margin: 0; white-space: break-spaces; overflow-wrap: anywhere; }
    @media print {
      .mount { display: none; }
      .paper { display: block; }
    }
  `
  declare label: string
  declare language: string
  /** What this editor has beside the others. Set it before the first update. */
  extras: Extension = []
  #view: EditorView | null = null
  // The text that was opened last, or that undo has brought back.
  #opened = toOpened('')
  // The one before a replacement.
  #replaced: Opened | null = null

  override render() {
    return html`<div class="mount"></div><pre class="paper"></pre>`
  }

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('beforeprint', this.#fillPaper)
    addEventListener('afterprint', this.#emptyPaper)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    removeEventListener('beforeprint', this.#fillPaper)
    removeEventListener('afterprint', this.#emptyPaper)
  }

  override firstUpdated(): void {
    this.#view = new EditorView({
      state: this.#createState(),
      root: this.renderRoot as ShadowRoot,
      parent: this.renderRoot.querySelector('.mount') as HTMLElement,
    })
  }

  /** The text as it was opened until it is changed. After that, its lines end as they did if all ended alike. */
  get text(): string {
    const { text, doc: opened } = this.#opened
    const doc = this.#view?.state.doc ?? opened
    return doc.eq(opened) ? text : doc.sliceString(0, doc.length, usesCrlf(text) ? '\r\n' : '\n')
  }

  /** Where the cursor is, in words. */
  get place(): string {
    if (this.#view === null) return 'Ln 1, Col 1'
    const { doc, selection } = this.#view.state
    const { number, from } = doc.lineAt(selection.main.head)
    return `Ln ${number}, Col ${selection.main.head - from + 1}`
  }

  get offset(): number {
    return this.#view?.state.selection.main.head ?? 0
  }

  /** Opens another text, without a way back to the one before. */
  open(text: string, offset = 0): void {
    this.#opened = toOpened(text)
    this.#replaced = null
    if (this.#view === null) return
    this.#view.setState(this.#createState(offset))
    // CodeMirror itself would scroll the page too.
    const { scrollDOM } = this.#view
    scrollDOM.scrollTop = this.#view.lineBlockAt(this.offset).top - scrollDOM.clientHeight / 2
  }

  /** Replaces the text; the person can undo it. */
  replace(text: string): void {
    this.#replaced = toOpened(this.text)
    this.#opened = toOpened(text)
    const length = this.#view?.state.doc.length ?? 0
    // So that one undo takes back nothing but this.
    const annotations = isolateHistory.of('full')
    this.#view?.dispatch({ changes: { from: 0, to: length, insert: this.#opened.doc }, annotations })
  }

  /** Puts the cursor at a place and the focus into the editor. */
  goTo(place: Cursor): void {
    if (this.#view === null) return
    const anchor = positionOf(this.#view, place)
    this.#view.dispatch({ selection: EditorSelection.cursor(anchor), scrollIntoView: true })
    this.#view.focus()
  }

  showProblems(problems: readonly Problem[]): void {
    if (this.#view !== null) showMarks(this.#view, problems)
  }

  /** Returns where the text is no JSON; null if it is. */
  findJsonFault(): Problem | null {
    return this.#view === null ? null : findJsonFault(this.#view.state)
  }

  override focus(): void {
    this.#view?.focus()
  }

  // A printed editor would lose lines between two pages.
  #fillPaper = (): void => this.#writePaper(this.text)
  #emptyPaper = (): void => this.#writePaper('')

  #writePaper(text: string): void {
    const pre = this.renderRoot.querySelector('.paper')
    if (pre !== null) pre.textContent = text
  }

  // Undo brings back the text before a replacement, and redo the one after it, each with its own ends of lines.
  #followUndo(doc: Text): void {
    const other = this.#replaced
    if (other === null || doc.eq(this.#opened.doc) || !doc.eq(other.doc)) return
    this.#replaced = this.#opened
    this.#opened = other
  }

  #createState(offset = 0): EditorState {
    const announce = EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
      if (docChanged) this.#followUndo(state.doc)
      if (docChanged) this.dispatchEvent(new Event('edit', { bubbles: true }))
      if (docChanged || selectionSet) this.dispatchEvent(new Event('move'))
    })
    return EditorState.create({
      doc: this.#opened.doc,
      selection: EditorSelection.cursor(Math.min(offset, this.#opened.doc.length)),
      extensions: [
        lineNumbers(),
        highlightSpecialChars({
          addSpecialChars: /[\u034f\u115f\u1160\u17b4\u17b5\u180e\u202a-\u202c\u2068\u3164\uffa0]/,
        }),
        highlightActiveLineGutter(),
        history(),
        drawSelection({ cursorBlinkRate: prefersStill() ? 0 : 1_200 }),
        bracketMatching(),
        indentUnit.of('  '),
        this.language === 'json' ? json() : javascript(),
        this.language === 'json' ? EditorView.lineWrapping : [],
        EditorView.contentAttributes.of({ 'aria-label': this.label, tabindex: '0' }),
        insertion,
        marks,
        aboveBar,
        theme,
        find,
        this.extras,
        keymap.of([...textKeys, ...historyKeymap, indentWithTab]),
        announce,
      ],
    })
  }
}

customElements.define('code-editor', CodeEditor)
