import { structuredPatch } from 'diff/lib/patch/create.js'
import { html, nothing } from 'lit'
import { viewCode } from '../shell/view-text.ts'

// Two sources that have nothing in common take long to compare.
const maxCompareMs = 500
const maxLines = 2_000
const contextLines = 3

/** Shows what changed between two sources: lines that begin with `+`, `-` or a space. */
export function viewLines(before: string, after: string) {
  if (before === after) return html`<p class="quiet">Both versions have the same source.</p>`
  const patch = structuredPatch('', '', before, after, '', '', {
    context: contextLines,
    timeout: maxCompareMs,
  })
  const hunks = patch?.hunks ?? [{ oldStart: 1, newStart: 1, lines: replaceAll(before, after) }]
  const lines = hunks.flatMap(({ oldStart, newStart, lines }) => [
    `@@ line ${Math.max(oldStart, newStart, 1)}`,
    // The last one may say that there is no line break.
    ...lines.filter(line => !line.startsWith('\\')),
  ])
  const note = html`<p class="note">truncated: the first ${maxLines} lines</p>`
  const onlyBreaks = html`<p class="quiet">Only line breaks changed, which cannot be seen.</p>`
  return html`${lines.length > maxLines ? note : nothing}
    ${withoutBreaks(before) === withoutBreaks(after) ? onlyBreaks : nothing}
    <pre class="difference" tabindex="0">${lines.slice(0, maxLines).map(viewLine)}</pre>`
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')
}

function replaceAll(before: string, after: string): string[] {
  const linesOf = (text: string, sign: string) =>
    text === '' ? [] : text.split('\n').map(line => sign + line)
  return [...linesOf(before, '-'), ...linesOf(after, '+')]
}

function viewLine(line: string) {
  const kinds: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place' }
  return html`<span class=${kinds[line[0] ?? ''] ?? ''}>${viewCode(line)}\n</span>`
}
