import { html, nothing } from 'lit'
import { type Change, compareDocuments } from './difference.ts'
import type { RunState } from './run-state.ts'

const maxValueCharacters = 128

/** Shows what `exit` changed in the input document, place by place. */
export function viewDifference({ execution, input }: RunState) {
  if (execution === null || execution.outcome !== 'exit')
    return html`<p class="quiet">What <code>exit</code> changed in the input appears here.</p>`
  const { changes, isCut } = compareDocuments(JSON.parse(input), execution.payload ?? null)
  if (changes.length === 0) return html`<p class="quiet">The result equals the input.</p>`
  return html`${isCut ? html`<p class="note">truncated: the first ${changes.length} changes</p>` : nothing}
    <ul class="changes" aria-label="Changes">${changes.map(viewChange)}</ul>`
}

function viewChange({ pointer, before, after }: Change) {
  const place = pointer === '' ? 'the whole document' : pointer
  return html`<li><code>${place}</code> <del>${print(before)}</del> → <ins>${print(after)}</ins></li>`
}

// A member that is absent has no JSON.
function print(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  if (text.length <= maxValueCharacters) return text
  return `${text.slice(0, maxValueCharacters)}… (truncated: ${maxValueCharacters} of ${text.length} characters)`
}
