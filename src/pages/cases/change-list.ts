import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { type Difference, pointerTo } from '../results/difference.ts'
import { viewChange, viewChanges } from '../results/view-difference.ts'
import { PageElement } from '../shell/page-element.ts'
import { viewJson } from '../shell/view-text.ts'
import type { CaseEvent } from './case-documents.ts'

type ChangedFields = NonNullable<CaseEvent['changedFields']>

const shownAtFirst = 20
// A browser lays this many out at once without a pause that a person feels.
const shownMore = 500
const maxCharacters = 200

/** The fields that a version changed: the first 20, and more of them on demand. */
class ChangeList extends PageElement {
  static override properties = { fields: { attribute: false }, shown: { state: true } }
  declare fields: ChangedFields
  declare shown: number

  constructor() {
    super()
    this.fields = {}
    this.shown = shownAtFirst
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('fields')) this.shown = shownAtFirst
  }

  override render() {
    const changes = Object.entries(this.fields)
    const left = changes.length - this.shown
    const more = html`<p class="note">${this.shown} of ${changes.length} fields</p>
      <button type="button" @click=${this.#showMore}>Show ${Math.min(left, shownMore)} more</button>`
    return html`<ul class="changes">
        ${changes
          .slice(0, this.shown)
          .map(([field, [after, before]]) =>
            viewChange(pointerTo(field), { before: print(before), after: print(after) }),
          )}
      </ul>
      ${left > 0 ? more : nothing}`
  }

  #showMore = (): void => {
    this.shown += shownMore
  }
}

// An absent field is null in an event.
function print(value: unknown): string {
  if (value === null) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`
}

/** Shows a JSON Patch, which says what a save would change. */
export function viewPatch(patch: unknown): TemplateResult {
  const isEmpty = Array.isArray(patch) && patch.length === 0
  return html`<section aria-label="Patch" class="patch">
    <h2>Patch</h2>
    ${
      isEmpty
        ? html`<p class="quiet">Nothing would change.</p>`
        : html`<pre class="box" tabindex="0">${viewJson(JSON.stringify(patch, null, 2))}</pre>`
    }
  </section>`
}

/** Shows what others changed in a case since a person began to edit it, with the button that keeps the edits. */
export function viewChangedMeanwhile(
  version: number,
  difference: Difference,
  keepMine: TemplateResult,
): TemplateResult {
  return html`<section aria-label="Changed meanwhile" class="patch">
    <h2>Changed meanwhile</h2>
    <p>
      The case is at version ${version} now. This changed in it since you began to edit. If you keep your edits, the
      next save replaces it.
    </p>
    <div class="box">${viewChanges(difference)}</div>
    <div class="case-actions">${keepMine}</div>
  </section>`
}

customElements.define('change-list', ChangeList)
