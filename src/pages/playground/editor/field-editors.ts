import type { Fields } from '../draft/link.ts'
import type { CodeEditor } from './code-editor.ts'
import type { JsonField } from './json-field.ts'
import './code-editor.ts'
import './json-field.ts'

/** Why a field cannot be sent. */
interface FieldFault {
  readonly error: Error
  /** Puts the cursor at its place. */
  readonly goTo: () => void
}

/** The three editors of a page, as the fields that they show. */
export class FieldEditors {
  readonly #page: HTMLElement

  constructor(page: HTMLElement) {
    this.#page = page
  }

  get script(): CodeEditor {
    return this.#page.querySelector('code-editor[label="Script"]') as CodeEditor
  }

  get fields(): Fields {
    const { input, options } = this.#json
    return { script: this.script.text, input: input.editor.text, options: options.editor.text }
  }

  /** Opens other fields, without a way back. */
  open({ script, input, options }: Fields, cursor: number): void {
    this.script.open(script, cursor)
    this.#json.input.editor.open(input)
    this.#json.options.editor.open(options)
    this.findFault()
  }

  /** Returns why the first field that is no JSON cannot be sent, and a way to its place; null if both are JSON. */
  findFault(): FieldFault | null {
    const { input, options } = this.#json
    const [first] = [input, options].flatMap(field => {
      const fault = field.check()
      return fault === null ? [] : [{ field, fault }]
    })
    if (first === undefined) return null
    const { field, fault } = first
    const place = `Ln ${fault.line}, Col ${fault.column}`
    const error = new Error(`${field.label} is not valid JSON at ${place}. Nothing was sent.`)
    return { error, goTo: () => field.editor.goTo(fault) }
  }

  get #json() {
    const find = (label: string) => this.#page.querySelector(`json-field[label="${label}"]`) as JsonField
    return { input: find('Input'), options: find('Options') }
  }
}
