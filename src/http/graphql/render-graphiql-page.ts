import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { BuiltFile } from '../pages/build-site.ts'

const start = 'YogaGraphiQL.renderYogaGraphiQL('
const document = '<html lang="en">'
const charset = '<meta charset="utf-8" />'
const headEnd = '</head>'
const root = '<div id="root"></div>'
// If it is true, the code editor is the global `monaco`, and our modules can set its colours.
const globalEditor = 'globalAPI: false'
const bar = `<header class="rostrum-bar">
<a href="/">Rostrum</a><h1>GraphiQL</h1>
<a href="/playground">Playground</a><a href="/docs/graphql">Docs</a><a href="/login" hidden>Sign in</a>
</header>`
// The page is large, so a slow network takes long to bring it. GraphiQL replaces this text when it starts.
const loadingRoot = '<main id="root"><p role="status">Loading…</p></main>'

// Each after those that it imports.
const modules = [
  'gateway/session.ts',
  'gateway/gateway-error.ts',
  'gateway/answer-in-time.ts',
  'graphiql/storage.ts',
  'graphiql/start-graphiql.ts',
]

// The main function of a worker thread: it posts one `BuiltFile`, the page with everything inlined, and ends.
process.emitWarning = () => undefined
const gzipped = new Uint8Array(gzipSync(renderPage()))
const page: BuiltFile = { type: 'text/html; charset=utf-8', gzipped }
parentPort?.postMessage(page, [gzipped.buffer])

// The package renders a page that starts itself, with options that are JSON. Ours need functions, so our modules start
// it in place of its last lines.
function renderPage(): string {
  const icon = Buffer.from(readPagesFile('favicon.svg')).toString('base64')
  const html = renderGraphiQL({
    title: 'GraphiQL · Rostrum',
    favicon: `data:image/svg+xml;base64,${icon}`,
  })
  const end = html.lastIndexOf(start)
  if (end === -1 || [document, charset, headEnd, root, globalEditor].some(part => !html.includes(part)))
    throw new Error('`@graphql-yoga/render-graphiql` renders another page.')
  const started = html
    .slice(0, end)
    // A translator of the browser would break what React goes on changing.
    .replace(document, '<html lang="en" translate="no">')
    // Without it, a phone shows the page of a wide window, made small.
    .replace(charset, `${charset}<meta name="viewport" content="width=device-width, initial-scale=1" />`)
    .replace(headEnd, () => `<style>${readPagesFile('graphiql/graphiql.css')}</style>${headEnd}`)
    .replace(root, () => bar + loadingRoot)
    .replace(globalEditor, 'globalAPI: true')
  return `${started}</script>
<script type="module">${modules.map(readModule).join('\n')}</script>
</body>
</html>
`
}

// The modules become one, because the policy of this page allows no file.
function readModule(name: string): string {
  const text = stripTypeScriptTypes(readPagesFile(name))
  return text.replace(/^import .*$/gm, '').replace(/^export /gm, '')
}

function readPagesFile(name: string): string {
  return readFileSync(new URL(`../../pages/${name}`, import.meta.url), 'utf8')
}
