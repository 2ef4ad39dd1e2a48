import { existsSync, readFileSync } from 'node:fs'
import { docsGroups, docsPages, fileOfDocsPage } from './docs-list.ts'
import { escapeHtml } from './escape-html.ts'
import { type RenderedPage, renderMarkdown } from './render-markdown.ts'

/** A document of the docs: its title and the HTML of its `main`. */
export interface DocsDocument {
  readonly title: string
  readonly html: string
}

/** All documents of the docs, and what a search over them reads. */
export interface BuiltDocs {
  /** By their path. */
  readonly documents: Readonly<Record<string, DocsDocument>>
  readonly missing: DocsDocument
  /** JSON: `[path, title, [[id, heading, text], …]]` for each page. */
  readonly searchIndex: string
}

interface NamedPage extends RenderedPage {
  readonly name: string
  readonly title: string
}

/** Renders the pages of `docs/` that are installed, and the list of them. */
export function buildDocs(): BuiltDocs {
  const names = docsPages.filter(name => existsSync(fileOfDocsPage(name)))
  const pages = names.map((name): NamedPage => {
    const page = renderMarkdown(readFileSync(fileOfDocsPage(name), 'utf8'), names)
    return { name, title: page.sections[0]?.heading ?? name, ...page }
  })
  const documents = pages.map((page, index) => {
    const around = { before: pages[index - 1], after: pages[index + 1] }
    return [pathOf(page), { title: page.title, html: viewPage(page, pages, around) }]
  })
  const rows = pages.map(page => [
    pathOf(page),
    page.title,
    page.sections.map(({ id, heading, text }) => [id, heading, text]),
  ])
  return {
    documents: { '/docs': { title: 'Docs', html: viewIndex(pages) }, ...Object.fromEntries(documents) },
    missing: {
      title: 'No such page',
      html: `<div class="docs-index"><h1>There is no such page</h1>
<p>Search for what you need, or see <a href="/docs">all pages</a>.</p></div>`,
    },
    searchIndex: JSON.stringify(rows),
  }
}

const pathOf = ({ name }: NamedPage): string => `/docs/${name}`

function viewIndex(pages: readonly NamedPage[]): string {
  return `<div class="docs-index"><h1>Docs</h1>
<p class="lead">You want to …</p>
<div class="docs-groups">${viewGroups(pages, 'h2')}</div></div>`
}

function viewGroups(pages: readonly NamedPage[], tag: string, here?: NamedPage): string {
  const groups = docsGroups.map(group => {
    const installed = pages.filter(({ name }) => (group.pages as readonly string[]).includes(name))
    if (installed.length === 0) return ''
    return `<section><${tag}>${escapeHtml(group.wants)}</${tag}>
<ul>${installed.map(page => `<li>${viewLink(page, here)}</li>`).join('')}</ul></section>`
  })
  return groups.join('\n')
}

function viewLink(page: NamedPage, here?: NamedPage): string {
  const current = page === here ? ' aria-current="page"' : ''
  return `<a href="${pathOf(page)}"${current}>${escapeHtml(page.title)}</a>`
}

interface Around {
  readonly before: NamedPage | undefined
  readonly after: NamedPage | undefined
}

function viewPage(page: NamedPage, pages: readonly NamedPage[], { before, after }: Around): string {
  const headings = page.sections.filter(({ depth }) => depth === 2)
  const contents = headings.map(({ id, heading }) => `<li><a href="#${id}">${escapeHtml(heading)}</a></li>`)
  return `<div class="docs">
<section class="docs-pages" aria-label="All pages">${viewGroups(pages, 'p', page)}</section>
<article>
<p class="docs-up"><a href="/docs">All pages</a></p>
${page.html}
<div class="docs-turn">${viewTurn('Previous', before)}${viewTurn('Next', after)}</div>
</article>
<section class="docs-contents" aria-label="On this page"><p>On this page</p><ul>${contents.join('')}</ul></section>
</div>`
}

function viewTurn(label: string, page: NamedPage | undefined): string {
  if (page === undefined) return '<span></span>'
  return `<a href="${pathOf(page)}"><span>${label}</span> ${escapeHtml(page.title)}</a>`
}
