import { html, nothing } from 'lit'
import { allows } from '../gateway/session.ts'
import type { OpenFunction } from '../shell/open-in-playground.ts'
import { setTitle } from '../shell/page-element.ts'
import type { Example } from './draft/examples.ts'
import './draft/examples-menu.ts'
import type { Fields } from './draft/link.ts'
import './draft/link-box.ts'

interface Bar {
  readonly open: OpenFunction | null
  readonly notice: string
  readonly readFields: () => Fields
  readonly say: (notice: string, error?: unknown) => void
  readonly chooseExample: (event: CustomEvent<Example>) => void
  readonly showDrafts: () => void
  readonly save: () => void
}

/** Shows what is written, and the buttons that begin another script, share this one or save it. */
export function viewBar({ open, notice, readFields, say, chooseExample, showDrafts, save }: Bar) {
  return html`<div class="bar">
    <h1>${open === null ? 'Playground' : html`<a href="/functions/${open.id}">${open.name}</a>`}</h1>
    <span role="status" class="notice">${notice}</span>
    <span class="actions">
      <examples-menu @choose-example=${chooseExample}></examples-menu>
      <button type="button" @click=${showDrafts}>Drafts</button>
      <link-box
        .read=${readFields}
        @link-made=${({ detail }: CustomEvent<string>) => say(detail)}
        @link-refused=${({ detail }: CustomEvent<unknown>) => say('', detail)}
      ></link-box>
      ${allows('functions:write') ? html`<button type="button" @click=${save}>Save</button>` : nothing}
    </span>
  </div>`
}

/** Names the tab of the browser after what is open. */
export function showTitle(open: OpenFunction | null): void {
  setTitle(open === null ? 'Playground' : `${open.name} · Playground`)
}
