import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { docsPages } from '../../../src/http/pages/docs/docs-list.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const get = (path: string) => server.rest('GET', path, { token: null })

const documents = [
  '/',
  '/login',
  '/playground',
  '/functions',
  '/functions/1',
  '/runs',
  '/runs/none',
  '/cases',
  '/cases/1',
  '/members',
  '/members?team=3',
  '/docs',
  '/docs?q=token',
  ...docsPages.map(name => `/docs/${name}`),
]

test('each page is one document with one policy, needs no credential and holds no data', async () => {
  const answers = await Promise.all(documents.map(get))
  const types = answers.map(({ status, headers }) => [status, headers.get('content-type')])
  expect(types).toEqual(documents.map(() => [200, 'text/html; charset=utf-8']))
  const policies = new Set(answers.map(({ headers }) => headers.get('content-security-policy')))
  expect(policies.size).toBe(1)
  const [policy = ''] = policies
  expect(policy).toMatch(/^default-src 'none'; script-src 'self' 'sha256-[\w+/=]+'; style-src 'self'; /)
  expect(policy).toContain("; require-trusted-types-for 'script'; trusted-types lit-html rostrum")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  const withToken = await server.rest('GET', '/runs', { headers: { accept: 'text/html' } })
  expect(withToken.text).toBe((await get('/runs')).text)
})

test('a browser gets the page of an id that is not correctly encoded, and a program its error', async () => {
  const { status, text } = await server.rest('GET', '/functions/%E0%A4%A', {
    headers: { accept: 'text/html' },
  })
  expect([status, text]).toEqual([200, (await get('/functions/1')).text])
  expect((await get('/functions/%E0%A4%A')).status).toBe(400)
})

test('the import map is the one inline script, and its hash is in the policy', async () => {
  const { text, headers } = await get('/playground')
  const inline = [...text.matchAll(/<script([^>]*)>([^<]+)<\/script>/g)]
  expect(inline.map(([, attributes]) => attributes)).toEqual([' type="importmap"'])
  const hash = createHash('sha256')
    .update(inline[0]?.[2] ?? '')
    .digest('base64')
  expect(headers.get('content-security-policy')).toContain(`'sha256-${hash}'`)
})

test('every file of a page is there for a year, small on the wire, and another version is 404', async () => {
  const { text } = await get('/functions')
  const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(match => match[1] ?? '')
  expect(files.length).toBeGreaterThan(8)
  for (const file of new Set(files)) {
    const answer = await server.rest('GET', file, { token: null, headers: { 'accept-encoding': 'identity' } })
    expect([answer.status, answer.headers.get('cache-control')], file).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
    expect(answer.headers.get('content-encoding'), file).toBe(null)
    expect(answer.headers.get('x-content-type-options'), file).toBe('nosniff')
    expect(answer.text.length, file).toBeGreaterThan(20)
  }
  const other = (files[0] ?? '').replace(/^\/assets\/\w+/, '/assets/0')
  for (const path of [other, `${files[0]}x`, '/assets/../package.json', '/assets/0/constructor'])
    expect((await get(path)).status, path).toBe(404)
  const posted = await server.rest('POST', files[0] ?? '', { token: null, body: {} })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
})

test('a worker has the policy of the pages', async () => {
  const { text, headers } = await get('/playground')
  const folder = /src="(\/assets\/\w+\/)/.exec(text)?.[1]
  const worker = await get(`${folder}pages/playground/types/types-worker.ts`)
  expect(worker.status).toBe(200)
  expect(worker.headers.get('content-security-policy')).toBe(headers.get('content-security-policy'))
})

test('the types of our modules are stripped, and a browser gets each file compressed', async () => {
  const { text } = await get('/login')
  const file = /src="([^"]+login-page\.ts)"/.exec(text)?.[1] ?? ''
  const answer = await fetch(server.baseUrl + file, { headers: { 'accept-encoding': 'gzip' } })
  expect([answer.headers.get('content-encoding'), answer.headers.get('content-type')]).toEqual([
    'gzip',
    'text/javascript; charset=utf-8',
  ])
  const script = await answer.text()
  expect(script).toContain('class LoginPage')
  expect(script).not.toMatch(/interface |declare error|: unknown/)
})

test.each([
  ['gzip;q=0', null],
  ['gzip;q=0, *', null],
  ['identity, gzip;q=0.5', null],
  ['br, gzip;q=0.8', 'gzip'],
  ['*', 'gzip'],
  ['GZIP', 'gzip'],
])('under `Accept-Encoding: %s` the coding of a file and of GraphiQL is %s', async (accepted, coding) => {
  for (const path of ['/login', '/graphql']) {
    const headers = { 'accept-encoding': accepted, accept: 'text/html' }
    const answer = await fetch(server.baseUrl + path, { headers })
    expect(answer.headers.get('content-encoding')).toBe(coding)
    expect(await answer.text()).toMatch(/^\s*<!doctype html>/i)
  }
})

test('the pages of the docs are served as they are, all of them and nothing else', async () => {
  const files = globSync('docs/*.md', { cwd: root }).map(path => path.replace(/^docs.(.*)\.md$/, '$1'))
  expect(docsPages.toSorted()).toEqual(files.toSorted())
  const { headers, text } = await get('/docs/scripts.md')
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(text).toBe(readFileSync(`${root}docs/scripts.md`, 'utf8'))
  for (const path of [
    '/docs/',
    '/docs/none',
    '/docs/..%2fpackage.json',
    '/docs/../package.json',
    '/docs/none.md',
  ])
    expect((await get(path)).status, path).toBe(404)
})

test('`HEAD /` has the headers of `GET /` and no body; other methods of each page are 405', async () => {
  const page = await get('/')
  const head = await server.rest('HEAD', '/', { token: null })
  expect([head.status, head.text]).toEqual([200, ''])
  for (const name of ['content-type', 'content-length', 'content-security-policy'])
    expect(head.headers.get(name)).toBe(page.headers.get(name))
  for (const path of [
    ...documents.map(path => path.split('?', 1)[0] ?? ''),
    '/health',
    '/ready',
    ...docsPages.map(name => `/docs/${name}.md`),
  ]) {
    const posted = await server.rest('POST', path, { token: null, body: {} })
    expect([posted.status, posted.headers.get('allow')], path).toEqual([405, 'GET'])
  }
})

test('the types of the script API come as they are, compressed for a client that takes it', async () => {
  const url = `${server.baseUrl}/rostrum.d.ts`
  const types = readFileSync(`${root}src/sandbox/rostrum.d.ts`, 'utf8')
  for (const encoding of ['gzip', 'identity']) {
    const answer = await fetch(url, { headers: { 'accept-encoding': encoding } })
    expect(await answer.text()).toBe(types)
    expect(answer.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  }
})
