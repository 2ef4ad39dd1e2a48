import type { Extension } from '@codemirror/state'
import { html } from 'lit'
import { viewText } from '../../shell/view-text.ts'
import type { LayoutController } from '../layout/layout-controller.ts'
import type { Problem } from '../types/protocol.ts'

interface FieldsView {
  readonly layout: LayoutController
  readonly onEdit: () => void
}

interface ScriptView extends FieldsView {
  readonly extras: Extension
  /** What is said below the script: the place of the cursor, and how types and draft stand. */
  readonly notes: { readonly place: string; readonly types: string; readonly draft: string }
  readonly problems: readonly Problem[]
  readonly onMove: () => void
  readonly goTo: (problem: Problem) => void
}

export function viewScript({ layout, extras, notes, problems, onEdit, onMove, goTo }: ScriptView) {
  return html`<section
    class="script"
    id="pane-script"
    role=${layout.role}
    aria-label="Source"
    ?hidden=${!layout.shows('script')}
  >
    <div class="field-head"><h2>Script</h2></div>
    <code-editor
      label="Script"
      language="javascript"
      .extras=${extras}
      @edit=${onEdit}
      @move=${onMove}
    ></code-editor>
    <div class="below">
      <span>${notes.place}</span>
      <span role="status">${notes.types}</span>
      <span role="status">${notes.draft}</span>
      <span class="hint">Esc, then Tab leaves an editor</span>
    </div>
    <ul class="problems" aria-label="Problems">${problems.map(problem => viewProblem(problem, goTo))}</ul>
  </section>`
}

function viewProblem(problem: Problem, goTo: ScriptView['goTo']) {
  const chooseByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    goTo(problem)
  }
  const text = viewText(`Ln ${problem.line}, Col ${problem.column} ${problem.message}`)
  return html`<li tabindex="0" @click=${() => goTo(problem)} @keydown=${chooseByKey}>${text}</li>`
}

export function viewInput({ layout, onEdit }: FieldsView) {
  return html`<section
    class="input"
    id="pane-input"
    role=${layout.role}
    aria-label="Data"
    ?hidden=${!layout.shows('input')}
    @edit=${onEdit}
  >
    <json-field label="Input" hint="payload in the script"></json-field>
    <json-field label="Options" hint='options in the script, e.g. { "params": { … } }'></json-field>
  </section>`
}
