import { html, nothing, type TemplateResult } from 'lit'
import { viewJson, viewText } from '../shell/view-text.ts'
import { compareDocuments, type Difference } from './difference.ts'
import { countBytes, fitText, formatBytes, maxShownBytes } from './print.ts'
import type { RunState } from './run-state.ts'

/** Shows what `exit` changed in the input document. */
export function viewDifference({ execution, input }: RunState) {
  if (execution === null || execution.outcome !== 'exit')
    return html`<p class="quiet">What <code>exit</code> changed in the input appears here.</p>`
  return viewExitChanges(JSON.parse(input), execution.payload)
}

/** Shows where the value that `exit` got differs from the input document. */
export function viewExitChanges(input: unknown, payload: unknown) {
  const difference = compareDocuments(input, payload ?? null)
  if (difference.changes.length === 0) return html`<p class="quiet">The result equals the input.</p>`
  return viewChanges(difference)
}

/** Shows where two documents differ, place by place: up to 64 KB of values. */
export function viewChanges({ changes, isCut }: Difference) {
  const items: TemplateResult[] = []
  let left = maxShownBytes
  for (const change of changes) {
    if (left <= 0) break
    const [before, after] = [print(change.before, left), print(change.after, left)]
    const place = change.pointer === '' ? 'the whole document' : change.pointer
    items.push(viewChange(place, { before, after }))
    left -= change.pointer.length + before.length + after.length
  }
  const isPartial = isCut || items.length < changes.length
  return html`${isPartial ? html`<p class="note">truncated: the first ${items.length} changes</p>` : nothing}
    <ul class="changes" aria-label="Changes">${items}</ul>`
}

/** Shows one changed place. Each part has the direction of its own script, so that the arrow keeps its own. */
export function viewChange(
  place: string,
  { before, after }: Readonly<Record<'before' | 'after', string>>,
): TemplateResult {
  const [old, now] = [
    html`<del dir="auto">${viewJson(before)}</del>`,
    html`<ins dir="auto">${viewJson(after)}</ins>`,
  ]
  return html`<li><code dir="auto">${viewText(place)}</code> ${old} → ${now}</li>`
}

// A member that is absent has no JSON.
function print(value: unknown, bytes: number): string {
  const text = JSON.stringify(value) ?? 'nothing'
  const start = fitText(text, bytes)
  if (start.length === text.length) return text
  return `${start}… (truncated: ${formatBytes(bytes)} of ${formatBytes(countBytes(text))})`
}
