// What a browser's page of another origin can do with the gateway: nothing.

import { createServer } from 'node:http'
import chromium from '@sparticuz/chromium'
import { chromium as playwright } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toBytes } from '../../properties/wire/wire-request.ts'
import { findWireFaults } from '../wire/judge-wire.ts'
import { exchangeBytes } from '../wire/wire-exchange.ts'
import { startWireStage, type WireStage } from '../wire/wire-stage.ts'

let stage: WireStage

beforeAll(async () => {
  stage = await startWireStage()
})
afterAll(() => stage.stop())

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY']
const paths = [
  '/graphql',
  '/platform/team_memberships',
  '/platform/team_memberships/1',
  '/platform/users/1',
  '/api/1/endpoint/execute',
  '/health',
  '/nowhere',
]
const origins = ['https://evil.example', 'null', 'http://localhost', 'http://127.0.0.1:4000', 'https://', '*']
const types = [
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'application/graphql-response+json',
]

const mutation = 'mutation{addTeamMembership(input:{userId:92,teamId:92}){id}}'

test.each(methods)(
  'no answer to %s, whatever its path, origin and type, lets another origin in',
  async method => {
    const rows = stage.readRows()
    for (const path of paths) {
      const writes = origins.flatMap(origin =>
        types.map(type =>
          toBytes({
            method,
            target: path,
            headers: [
              ['Origin', origin],
              ['Content-Type', type],
              ['Cookie', `token=${stage.tokens.A}`],
              ['Access-Control-Request-Method', 'POST'],
              ['Access-Control-Request-Headers', 'authorization'],
              ['Access-Control-Request-Private-Network', 'true'],
            ],
            body: Buffer.from(JSON.stringify({ query: mutation })),
          }),
        ),
      )
      const url = stage.server.baseUrl
      const { answers } = await exchangeBytes({
        url,
        writes: [Buffer.concat(writes)],
        isHead: method === 'HEAD',
        answers: writes.length,
        maxMs: 20_000,
      })
      expect(answers).toHaveLength(writes.length)
      for (const answer of answers) {
        expect(findWireFaults(answer, method === 'HEAD')).toEqual([])
        expect([...answer.headers.keys()].filter(name => /^access-control|^set-cookie/.test(name))).toEqual(
          [],
        )
        expect(answer.status === 200).toBe(path === '/health' && (method === 'GET' || method === 'HEAD'))
      }
    }
    expect(stage.readRows()).toEqual(rows)
  },
)

test('with a credential no origin is let in either', async () => {
  for (const origin of origins) {
    const headers = { origin, cookie: 'a=b' }
    const answers = [
      await stage.server.rest('GET', '/platform/team_memberships/1', { headers, token: stage.tokens.A }),
      await stage.server.rest('POST', '/graphql', {
        headers,
        token: stage.tokens.A,
        body: { query: '{viewer{accountCode}}' },
      }),
      await stage.server.rest('GET', '/graphql', {
        headers: { ...headers, accept: 'text/html' },
        token: null,
      }),
    ]
    for (const answer of answers)
      expect([...answer.headers.keys()].filter(name => /^access-control|^set-cookie/.test(name))).toEqual([])
  }
})

/** Opens a page of another origin in a real browser. */
async function openEvilPage() {
  const evil = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>evil</title>')
  })
  await new Promise<void>(resolve => evil.listen(0, '127.0.0.1', resolve))
  const address = evil.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
  })
  const page = await browser.newPage()
  await page.goto(`http://localhost:${port}/`)
  return {
    page,
    async close() {
      await browser.close()
      evil.close()
    },
  }
}

test('a page of another origin in a real browser reads nothing and changes nothing', async () => {
  const { page, close } = await openEvilPage()
  try {
    const rows = stage.readRows()
    const outcomes = await page.evaluate(attack, {
      url: stage.server.baseUrl,
      token: stage.tokens.A,
      mutation,
    })
    // `no-cors` tells a page only that there was an answer; all else must fail before anything is read.
    expect(outcomes.filter(({ outcome }) => outcome !== 'failed' && outcome !== 'opaque')).toEqual([])
    expect(outcomes.filter(({ outcome }) => outcome === 'opaque').length).toBeGreaterThan(0)
    const form = `<form id="f" method="post" enctype="text/plain" action="${stage.server.baseUrl}/graphql">
      <input name='{"query":"${mutation}","x":"' value='"}'></form>`
    await page.setContent(form)
    await Promise.all([page.waitForNavigation(), page.evaluate('document.getElementById("f").submit()')])
    expect(stage.readRows()).toEqual(rows)
  } finally {
    await close()
  }
})

test.each(['/login', '/playground', '/docs/api', '/graphql'])(
  'a page of another origin that opened %s cannot lead it elsewhere',
  async path => {
    const { page, close } = await openEvilPage()
    try {
      const url = stage.server.baseUrl + path
      const [opened] = await Promise.all([
        page.waitForEvent('popup'),
        page.evaluate(target => void Object.assign(globalThis, { opened: open(target) }), url),
      ])
      await opened.waitForLoadState()
      expect(await opened.evaluate('opener')).toBe(null)
      await page.evaluate(target => {
        const { opened: victim } = globalThis as unknown as { opened: Window }
        victim.location.href = `${target}#code=evil`
      }, url)
      expect(await page.evaluate('opened.closed')).toBe(true)
      expect(await opened.evaluate('location.hash')).toBe('')
    } finally {
      await close()
    }
  },
)

interface Attack {
  readonly url: string
  readonly token: string
  readonly mutation: string
}

// Runs in the page.
async function attack({ url, token, mutation }: Attack): Promise<{ name: string; outcome: string }[]> {
  const body = JSON.stringify({ query: mutation })
  const form = new URLSearchParams({ name: 'a', sourceCode: 'exit(1)', inputDocument: '{}', options: '{}' })
  const multipart = new FormData()
  multipart.set('operations', body)
  const attempts: [string, string, RequestInit][] = [
    ['read', '/platform/team_memberships/1', {}],
    ['read with a token', '/platform/team_memberships/1', { headers: { authorization: `Bearer ${token}` } }],
    ['json', '/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body }],
    [
      'json with a token',
      '/graphql',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body,
      },
    ],
    ['put', '/platform/users/1', { method: 'PUT', body }],
    [
      'delete with a token',
      '/platform/team_memberships/1',
      { method: 'DELETE', headers: { authorization: `Bearer ${token}` } },
    ],
    ['text', '/graphql', { method: 'POST', body }],
    ['text, no-cors', '/graphql', { method: 'POST', mode: 'no-cors', body }],
    ['form, no-cors', '/api/1/endpoint/execute', { method: 'POST', mode: 'no-cors', body: form }],
    ['multipart, no-cors', '/graphql', { method: 'POST', mode: 'no-cors', body: multipart }],
    ['get, no-cors', `/graphql?query=${encodeURIComponent(mutation)}`, { mode: 'no-cors' }],
    [
      'token in no-cors',
      '/platform/team_memberships/1',
      { mode: 'no-cors', headers: { authorization: `Bearer ${token}` } },
    ],
    ['the page itself', '/graphql', { headers: { accept: 'text/html' } }],
  ]
  const outcomes = []
  for (const [name, path, options] of attempts) {
    const outcome = await fetch(url + path, { credentials: 'include', ...options }).then(
      response => (response.type === 'opaque' ? 'opaque' : `read ${response.status}`),
      () => 'failed',
    )
    outcomes.push({ name, outcome })
  }
  return outcomes
}
