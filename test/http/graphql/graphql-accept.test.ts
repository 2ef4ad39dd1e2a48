import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendRaw } from '../edge/send-raw.ts'
import { startApp, type TestApp } from '../edge/start-app.ts'

let app: TestApp
let lastUser = 100

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

/** A mutation under this `Accept`, and whether it took effect. */
async function mutate(accept: string) {
  lastUser += 1
  const query = `mutation { saveUser(input: { id: ${lastUser}, displayName: "x" }) { id } }`
  const answer = await app.send('/graphql', { method: 'POST', headers: { accept }, body: { query } })
  const { status } = await app.send(`/platform/users/${lastUser}`)
  return { ...answer, type: answer.headers.get('content-type'), hadEffect: status === 200 }
}

test.each([
  'text/plain',
  'multipart/mixed',
  'multipart/*',
  ';q=1',
  'a/b/c',
  ',',
  'application/json;q=0',
  '*/*;q=0',
  'application/json; charset=utf-16',
])('a mutation whose answer nobody could read (`Accept: %s`) is a 406 and has no effect', async accept => {
  const { status, body, hadEffect } = await mutate(accept)
  expect({ status, hadEffect, code: body.errors[0].extensions.code }).toEqual({
    status: 406,
    hadEffect: false,
    code: 'BAD_USER_INPUT',
  })
})

test.each([
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['application/*', 'application/json'],
  ['Application/JSON;charset=UTF-8', 'application/json'],
  ['multipart/mixed, application/json;q=0.1', 'application/json'],
  ['multipart/*, text/event-stream', 'text/event-stream'],
  ['text/event-stream, application/json', 'application/json'],
  ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
  ['text/event-stream', 'text/event-stream'],
])('`Accept: %s` is answered as %s', async (accept, type) => {
  const answer = await mutate(accept)
  expect([answer.status, answer.type?.split(';')[0], answer.hadEffect]).toEqual([200, type, true])
})

// Each entry costs time for each type, so a header of 16 KiB held the event loop for 75 ms.
test.each([
  ['application/json, ', 'a/b,', 200],
  ['', 'a/b,', 406],
])(
  'the entries of `Accept` past 1,000 characters do not count (`%s` first)',
  async (first, entry, status) => {
    const answer = await mutate(`${first}${entry.repeat(250)}application/graphql-response+json`)
    expect([answer.status, answer.type?.split(';')[0]]).toEqual([status, 'application/json'])
  },
)

const subscription =
  'subscription s { teamMembershipChanged { __typename } } query q { viewer { accountCode } }'

test.each([
  ['text/event-stream;q=1, application/json;q=0.5', 's', 'text/event-stream'],
  ['application/json, text/event-stream', 's', 'text/event-stream'],
  [
    'application/graphql-response+json, application/json, text/event-stream, multipart/mixed',
    's',
    'text/event-stream',
  ],
  ['application/json, text/event-stream', 'q', 'application/json'],
  ['text/event-stream, application/graphql-response+json;q=0.9', 'q', 'application/graphql-response+json'],
])('under `Accept: %s` operation `%s` is answered as %s', async (accept, operationName, type) => {
  const body = { query: subscription, operationName }
  const ended = new AbortController()
  const text = new URLSearchParams(body)
  const headers = { accept, authorization: `Bearer ${app.adminToken}` }
  for (const method of ['POST', 'GET']) {
    const answer = await fetch(`${app.url}/graphql${method === 'GET' ? `?${text}` : ''}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
      signal: ended.signal,
    })
    expect([method, answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([
      method,
      200,
      type,
    ])
  }
  ended.abort()
})

test.each(['*/*', 'application/json'])('a subscription under `Accept: %s` needs a stream', async accept => {
  const answer = await app.send('/graphql', {
    method: 'POST',
    headers: { accept },
    body: { query: subscription, operationName: 's' },
  })
  expect(answer.status).toBe(406)
})

test('a bad document is answered as a client prefers that accepts both', async () => {
  const answer = await app.send('/graphql', {
    method: 'POST',
    headers: { accept: 'application/graphql-response+json, text/event-stream' },
    body: { query: 'subscription { nothing }' },
  })
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([
    400,
    'application/graphql-response+json',
  ])
})

test('a stream closes the connection of a client that asked for it, and keeps that of any other', async () => {
  const body = '{"query":"{ viewer { accountCode } }"}'
  const request = (connection: string) =>
    [
      'POST /graphql HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${app.adminToken}`,
      'Accept: text/event-stream',
      'Content-Type: application/json',
      `Connection: ${connection}`,
      `Content-Length: ${body.length}`,
      `\r\n${body}`,
    ].join('\r\n')
  const writes = [request('keep-alive') + request('close')]
  const { text, closedAfterMs } = await sendRaw({ url: app.url, writes })
  expect(closedAfterMs).not.toBeNull()
  expect(text.match(/^connection: .*$/gim)).toEqual(['Connection: keep-alive', 'Connection: close'])
  expect(text.match(/^event: complete$/gm)).toHaveLength(2)
})
