import { html } from 'lit'
import type { Fields } from '../draft/link.ts'
import type { CodeEditor } from './code-editor.ts'
import './code-editor.ts'

const labels = { script: 'Script', input: 'Input', options: 'Options' } as const

/** The three editors of a page, as the fields that they show. */
export class FieldEditors {
  readonly #page: HTMLElement

  constructor(page: HTMLElement) {
    this.#page = page
  }

  get script(): CodeEditor {
    return this.#find('script')
  }

  get fields(): Fields {
    return { script: this.script.text, input: this.#find('input').text, options: this.#find('options').text }
  }

  /** Opens other fields, without a way back. */
  open({ script, input, options }: Fields, cursor: number): void {
    this.script.open(script, cursor)
    this.#find('input').open(input)
    this.#find('options').open(options)
  }

  #find(name: keyof Fields): CodeEditor {
    return this.#page.querySelector(`code-editor[label="${labels[name]}"]`) as CodeEditor
  }
}

interface EditorOptions {
  readonly name: keyof Fields
  readonly extras: CodeEditor['extras']
  readonly onEdit: () => void
  readonly onMove: () => void
}

/** Shows the editor of one field. */
export function viewEditor({ name, extras, onEdit, onMove }: EditorOptions) {
  return html`<code-editor
    label=${labels[name]}
    language=${name === 'script' ? 'javascript' : 'json'}
    .extras=${extras}
    @edit=${onEdit}
    @move=${onMove}
  ></code-editor>`
}
