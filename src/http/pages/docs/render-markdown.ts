import { javascriptLanguage } from '@codemirror/lang-javascript'
import { jsonLanguage } from '@codemirror/lang-json'
import { classHighlighter, highlightCode } from '@lezer/highlight'
import { Marked, type RendererObject } from 'marked'
import { escapeHtml } from './escape-html.ts'
import { readSections, type Section } from './read-sections.ts'

/** A page of `docs/` as HTML. */
export interface RenderedPage {
  readonly html: string
  /** The first one is the whole page's. */
  readonly sections: readonly Section[]
}

const parsers = { js: javascriptLanguage.parser, json: jsonLanguage.parser }

// The pages write the address of a gateway that was just started. A reader means this one.
const ownAddress = 'http://127.0.0.1:4000'

/** Renders CommonMark with tables. HTML in it is shown as text. `pages` are the names that links to pages can have. */
export function renderMarkdown(markdown: string, pages: readonly string[]): RenderedPage {
  const marked = new Marked()
  const tokens = marked.lexer(markdown)
  const sections = readSections(tokens)
  marked.use({ renderer: createRenderer(sections, pages) })
  return { html: marked.parser(tokens), sections }
}

function createRenderer(sections: readonly Section[], pages: readonly string[]): RendererObject {
  const following = sections.values()
  let here: Section | undefined
  let tablesHere = 0
  return {
    heading({ depth, tokens }) {
      here = following.next().value
      tablesHere = 0
      const id = escapeHtml(here?.id ?? '')
      return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`
    },
    code({ text, lang }) {
      const name = escapeHtml(lang ?? '')
      const head = `<div class="code-head"><span>${name}</span><button type="button">Copy</button></div>`
      const code = highlight(text, lang ?? '')
      return `<div class="code">${head}<pre tabindex="0"><code>${code}\n</code></pre></div>\n`
    },
    // A wide table scrolls by itself, never the page.
    table(token) {
      tablesHere += 1
      const number = tablesHere === 1 ? '' : ` ${tablesHere}`
      const label = escapeHtml(`Table of ${here?.heading ?? ''}${number}`)
      const row = (cells: typeof token.header, tag: string) =>
        `<tr>${cells.map(cell => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
      const rows = token.rows.map(cells => row(cells, 'td')).join('\n')
      return `<div class="table" role="region" aria-label="${label}" tabindex="0"><table>
<thead>${row(token.header, 'th')}</thead>
<tbody>${rows}</tbody>
</table></div>\n`
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      const target = resolveLink(href, pages)
      return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`
    },
    image: ({ text }) => escapeHtml(text),
    html: ({ text }) => (/^\s*<!--[\s\S]*-->\s*$/.test(text) ? '' : escapeHtml(text)),
  }
}

// Null for a file of the repository, which the gateway does not serve.
function resolveLink(href: string, pages: readonly string[]): string | null {
  if (href.startsWith('#')) return href
  const [, page = '', fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (pages.includes(page)) return `/docs/${page}${fragment}`
  if (href === ownAddress || href.startsWith(`${ownAddress}/`)) return href.slice(ownAddress.length) || '/'
  return /^https?:\/\//.test(href) ? href : null
}

// Returns the HTML of a code block, with a class for each word of JavaScript and JSON.
function highlight(code: string, language: string): string {
  if (language !== 'js' && language !== 'json') return escapeHtml(code)
  const parts: string[] = []
  const put = (text: string, classes: string): void => {
    const escaped = escapeHtml(text)
    parts.push(classes === '' ? escaped : `<span class="${classes}">${escaped}</span>`)
  }
  highlightCode(code, parsers[language].parse(code), classHighlighter, put, () => parts.push('\n'))
  return parts.join('')
}
