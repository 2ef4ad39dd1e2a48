import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { docsGroups, docsPages } from '../../../src/http/pages/docs/docs-list.ts'
import { renderMarkdown } from '../../../src/http/pages/docs/render-markdown.ts'
import { readPage, readTable } from '../../docs/pages.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const paths = ['/docs', ...docsPages.map(name => `/docs/${name}`)]

async function readMain(path: string): Promise<string> {
  const { text } = await server.rest('GET', path, { token: null })
  return /<main[^>]*>([\s\S]*)<\/main>/.exec(text)?.[1] ?? ''
}

test('the groups of the docs are the rows of the README', () => {
  const rows = readTable(readPage('README.md'), 'Docs').map(([wants = '', read = '']) => ({
    wants,
    pages: [...read.matchAll(/\(docs\/([\w-]+)\.md\)/g)].map(([, name]) => name),
  }))
  expect(docsGroups).toEqual(rows)
})

test('every link of the docs leads to a page or a heading that there is', async () => {
  const mains = new Map(await Promise.all(paths.map(async path => [path, await readMain(path)] as const)))
  const targets = [...mains].flatMap(([path, main]) =>
    [...main.matchAll(/\shref="([^"]*)"/g)].map(([, href = '']) => ({ path, href })),
  )
  expect(targets.length).toBeGreaterThan(400)
  const others = new Set<string>()
  const broken = targets.filter(({ path, href }) => {
    if (/^https:\/\//.test(href)) return false
    const [target = '', anchor] = href.split('#')
    const main = mains.get(target === '' ? path : target)
    if (main === undefined) others.add(href)
    return main !== undefined && anchor !== undefined && !main.includes(` id="${anchor}"`)
  })
  expect(broken).toEqual([])
  for (const href of others) {
    const answer = await server.rest('GET', href, { token: null, headers: { accept: 'text/html' } })
    expect(answer.status, href).toBe(200)
  }
})

test('each page has one first heading, and no id twice', async () => {
  for (const path of paths) {
    const main = await readMain(path)
    const ids = [...main.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids, path).toEqual([...new Set(ids)])
    expect(main.match(/<h1[ >]/g), path).toHaveLength(1)
  }
})

test('a page has the text of its file, and what looks like HTML is text', async () => {
  expect(await readMain('/docs/webhooks')).toContain('/api/1/webhook/&lt;account code&gt;/&lt;name&gt;')
  const { html } = renderMarkdown(
    '# A <b>\n\n<script>x</script>\n\n[y](javascript:z) ![i](/i.png)\n\n`<i>`',
    [],
  )
  expect(html).toContain('&lt;script&gt;')
  expect(html).not.toMatch(/<(script|b|i|img)\b|javascript:/)
  const settings = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8')
  const names = [...settings.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name ?? '')
  const main = await readMain('/docs/settings')
  expect(names.filter(name => !main.includes(`<td><code>${name}</code></td>`))).toEqual([])
})

test('headings that are the same get ids of their own, as on GitHub', () => {
  const { sections } = renderMarkdown('# A\n\n## It `runs`, twice!\n\nx\n\n## It runs twice\n', [])
  expect(sections.map(({ id }) => id)).toEqual(['a', 'it-runs-twice', 'it-runs-twice-1'])
})

test('a page that does not exist is a document for a person and a problem for a program', async () => {
  const asked = (accept: string) =>
    server
      .rest('GET', '/docs/none', { token: null, headers: { accept } })
      .then(({ status, headers }) => [status, headers.get('content-type')])
  expect(await asked('text/html')).toEqual([404, 'text/html; charset=utf-8'])
  expect(await asked('*/*')).toEqual([404, 'application/problem+json; charset=utf-8'])
})
