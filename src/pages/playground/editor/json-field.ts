import { html, nothing } from 'lit'
import { PageElement } from '../../shell/page-element.ts'
import type { Problem } from '../types/protocol.ts'
import type { CodeEditor } from './code-editor.ts'
import './code-editor.ts'

const checkAfterMs = 400

/** An editor for a JSON document, which says where the text is none. Its editor sends `edit`. */
class JsonField extends PageElement {
  static override properties = { label: {}, hint: {}, fault: { state: true } }
  declare label: string
  /** What the document is to the script. */
  declare hint: string
  declare fault: Problem | null
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor() {
    super()
    this.label = ''
    this.hint = ''
    this.fault = null
  }

  get editor(): CodeEditor {
    return this.querySelector('code-editor') as CodeEditor
  }

  /** Checks the text now. Returns where it is no JSON, or null. */
  check(): Problem | null {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const fault = this.editor.findJsonFault()
    if (fault !== null || this.fault !== null) this.editor.showProblems(fault === null ? [] : [fault])
    this.fault = fault
    return fault
  }

  override render() {
    return html`<div class="field-head">
        <h2>${this.label}</h2>
        <span role="status" class="field-fault">${this.fault === null ? nothing : this.#viewFault(this.fault)}</span>
        <span class="hint">${this.hint}</span>
      </div>
      <code-editor label=${this.label} language="json" @edit=${this.#checkSoon}></code-editor>`
  }

  #viewFault(fault: Problem) {
    return html`<button type="button" class="plain" @click=${() => this.editor.goTo(fault)}>
      Ln ${fault.line}, Col ${fault.column}: ${fault.message}
    </button>`
  }

  #checkSoon = (): void => {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.check(), checkAfterMs)
  }
}

customElements.define('json-field', JsonField)

export type { JsonField }
