import { html } from 'lit'
import { isPlain, viewCode } from '../../shell/view-text.ts'

const lineBreak = /\r\n?|\n/

/** Shows two sources. In each, the first line that differs is marked; where a source ends there, its end. */
export function viewBoth(yours: string, theirs: string) {
  const [mine, others] = [yours.split(lineBreak), theirs.split(lineBreak)]
  const found = mine.findIndex((line, index) => line !== others[index])
  const at = found === -1 ? mine.length : found
  const difference =
    yours === theirs ? 'Both are the same.' : 'Only line breaks changed, which cannot be seen.'
  const nothingSeen = html`<p class="quiet">${difference}</p>`
  return html`${found === -1 && mine.length === others.length ? nothingSeen : ''}
    <div class="both">${viewSource('Yours', mine, at)} ${viewSource('Theirs', others, at)}</div>`
}

function viewSource(title: string, lines: readonly string[], at: number) {
  return html`<section aria-label=${title}>
    <h3>${title}</h3>
    <pre class="box" tabindex="0">${viewWhole(lines.slice(0, at))}<mark>${viewCode(lines[at] ?? '')}</mark>${viewWhole(
      lines.slice(at + 1),
    )}</pre>
  </section>`
}

// A string that begins in one line and ends in another would be taken for code if the parts were shown as wholes.
function viewWhole(lines: readonly string[]) {
  const text = lines.map(line => `${line}\n`).join('')
  return isPlain(text) ? text : lines.map(line => [viewCode(line), '\n'])
}

/** Scrolls each source to its mark. */
export function showFirstDifference(page: Element): void {
  for (const mark of page.querySelectorAll<HTMLElement>('.both mark')) {
    const box = mark.parentElement
    if (box === null) continue
    box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3
  }
}
