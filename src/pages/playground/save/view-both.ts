import { html, nothing } from 'lit'
import { viewCode } from '../../shell/view-text.ts'

/** Shows two sources, each with its first line that differs marked. */
export function viewBoth(yours: string, theirs: string) {
  const [mine, others] = [yours, theirs].map(text => text.split('\n')) as [string[], string[]]
  const found = mine.findIndex((line, index) => line !== others[index])
  const at = found === -1 ? mine.length : found
  return html`<div class="both">
    ${viewSource('Yours', mine, at)} ${viewSource('Theirs', others, at)}
  </div>`
}

function viewSource(title: string, lines: readonly string[], at: number) {
  const line = lines[at]
  const marked = line === undefined ? nothing : html`<mark>${viewCode(line)}\n</mark>`
  const before = lines.slice(0, at).map(text => `${text}\n`)
  const shown = html`${viewCode(before.join(''))}${marked}${viewCode(lines.slice(at + 1).join('\n'))}`
  return html`<section aria-label=${title}>
    <h3>${title}</h3>
    <pre class="box" tabindex="0">${shown}</pre>
  </section>`
}

/** Scrolls each source to its marked line. */
export function showFirstDifference(page: Element): void {
  for (const mark of page.querySelectorAll<HTMLElement>('.both mark')) {
    const box = mark.parentElement
    if (box === null) continue
    box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3
  }
}
