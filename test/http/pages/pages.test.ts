import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { docsPages } from '../../../src/http/register-pages.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const get = (path: string) => server.rest('GET', path, { token: null })

test('`GET /` needs no credential, runs nothing and loads nothing', async () => {
  const { status, headers, text } = await get('/')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; /)
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  expect(text).not.toMatch(/<script|<img|<link|\son\w+=|src=/i)
  expect(Buffer.byteLength(text)).toBeLessThan(4_096)
})

test('each of its links is answered without a credential', async () => {
  const { text } = await get('/')
  const links = [...text.matchAll(/href="([^"]*)"/g)].map(match => match[1] ?? '')
  expect(links).toContain('/graphql')
  expect(links).toContain('/docs/quickstart.md')
  const headers = { accept: 'text/html' }
  const answers = await Promise.all(links.map(link => server.rest('GET', link, { token: null, headers })))
  expect(answers.map(({ status }) => status)).toEqual(links.map(() => 200))
})

test('the pages of the docs are served as they are, all of them and nothing else', async () => {
  const files = globSync('docs/*', { cwd: root }).map(path => path.replace(/^docs.(.*)\.md$/, '$1'))
  expect(docsPages.toSorted()).toEqual(files.toSorted())
  const { headers, text } = await get('/docs/scripts.md')
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(text).toBe(readFileSync(`${root}docs/scripts.md`, 'utf8'))
  for (const path of ['/docs', '/docs/', '/docs/..%2fpackage.json', '/docs/../package.json', '/docs/none.md'])
    expect((await get(path)).status, path).toBe(404)
})

test('`HEAD /` has the headers of `GET /` and no body; other methods of each page are 405', async () => {
  const page = await get('/')
  const head = await server.rest('HEAD', '/', { token: null })
  expect([head.status, head.text]).toEqual([200, ''])
  for (const name of ['content-type', 'content-length', 'content-security-policy'])
    expect(head.headers.get(name)).toBe(page.headers.get(name))
  for (const path of ['/', '/health', '/ready', ...docsPages.map(name => `/docs/${name}.md`)]) {
    const posted = await server.rest('POST', path, { token: null, body: {} })
    expect([posted.status, posted.headers.get('allow')], path).toEqual([405, 'GET'])
  }
})
