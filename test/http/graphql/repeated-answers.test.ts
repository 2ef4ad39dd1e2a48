import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../edge/start-app.ts'

let app: TestApp
let lastKey = 0

beforeAll(async () => {
  app = await startApp()
})

afterAll(() => app.close())

const json = 'application/json'
const response = 'application/graphql-response+json'
// Yoga answers the second type, and the fast path the first.
const contentTypes = ['application/json', 'application/json; Charset=utf-8']

interface Sent {
  readonly query: string
  readonly accept: string
  readonly key?: string
  readonly contentType?: string
}

async function send({ query, accept, key, contentType = 'application/json' }: Sent) {
  const headers = {
    ...{ accept, 'content-type': contentType },
    ...(key !== undefined && { 'idempotency-key': key }),
  }
  const answer = await app.send('/graphql', { method: 'POST', headers, body: { query } })
  const { status, text } = answer
  return {
    replayed: answer.headers.get('idempotency-replayed'),
    answer: { status, text, type: answer.headers.get('content-type') },
  }
}

const freshKey = () => `repeated-${++lastKey}`

describe.each([
  ['an unknown field', 'mutation { saveTeamX(id: 5) { id } }', [200, 400]],
  ['a syntax error', 'mutation { saveTeam(', [200, 400]],
  ['too many aliases', `mutation { ${'a: __typename '.repeat(20_000)} }`, [400, 400]],
  ['a change', 'mutation { saveTeam(input: { id: 5, name: "Blue" }) { name } }', [200, 200]],
  ['a failed change', 'mutation { removeTeamMembership(id: 9007199254740991) { id } }', [200, 200]],
])('the answer to %s under a key', (_name, query, statuses) => {
  test.each(
    contentTypes.flatMap(contentType => [
      [json, response, contentType] as const,
      [response, json, contentType] as const,
      [json, `text/html, ${response};q=0.5`, contentType] as const,
      [response, '*/*', contentType] as const,
    ]),
  )(
    'is the same for `Accept: %s` as without one, and repeated for `%s`: %s',
    async (first, second, contentType) => {
      const key = freshKey()
      for (const [accept, replayed] of [
        [first, null],
        [second, 'true'],
        [first, 'true'],
      ] as const) {
        const withoutKey = await send({ query, accept, contentType })
        const withKey = await send({ query, accept, contentType, key })
        expect(withKey).toEqual({ ...withoutKey, replayed })
        const type = accept.includes(response) ? response : json
        expect([withKey.answer.status, withKey.answer.type]).toEqual([
          statuses[type === json ? 0 : 1],
          `${type}; charset=utf-8`,
        ])
      }
    },
  )
})

test('a request that accepts no answer is refused as without its key, which keeps the answer', async () => {
  const query = 'mutation { saveUser(input: { id: 9, displayName: "x" }) { id } }'
  const key = freshKey()
  const accept = 'text/html'
  const withoutKey = await send({ query, accept })
  expect(withoutKey.answer.status).toBe(406)
  expect(await send({ query, accept, key })).toEqual(withoutKey)
  expect((await app.send('/platform/users/9')).status).toBe(404)
  expect(await send({ query, accept: json, key })).toMatchObject({ replayed: null, answer: { status: 200 } })
  expect(await send({ query, accept, key })).toEqual(withoutKey)
  expect(await send({ query, accept: json, key })).toMatchObject({
    replayed: 'true',
    answer: { status: 200 },
  })
})

test.each([
  ['a comment', 'query { team(id: 4) { name } } # not a mutation'],
  ['a text', '{ team(id: 4) { name } cases(filter: { caseTypeCode: "mutation" }) { nodes { id } } }'],
  ['another operation', 'query Q { team(id: 4) { name } } mutation M { saveTeam(input: { id: 4 }) { id } }'],
])('a query is read again under its key, with the word `mutation` in %s', async (_where, query) => {
  const key = freshKey()
  const operationName = query.includes('query Q') ? 'Q' : null
  const ask = async (name: string) => {
    await app.graphql(`mutation { saveTeam(input: { id: 4, name: "${name}" }) { id } }`)
    return app.send('/graphql', {
      ...{ method: 'POST', headers: { 'idempotency-key': key } },
      body: { query, operationName },
    })
  }
  for (const name of ['Blue', 'Red']) {
    const { headers, body } = await ask(name)
    expect(headers.get('idempotency-replayed')).toBe(null)
    expect(body.data?.team, JSON.stringify(body)).toEqual({ name })
  }
})

test('a mutation beside a query is done once under its key', async () => {
  const query = `query Q { team(id: 4) { name } }
    mutation M { addTeamMembership(input: { userId: 41, teamId: 42 }) { id } }`
  const request = {
    ...{ method: 'POST', headers: { 'idempotency-key': freshKey() } },
    body: { query, operationName: 'M' },
  }
  const first = await app.send('/graphql', request)
  const again = await app.send('/graphql', request)
  expect([first.body.errors, again.text]).toEqual([undefined, first.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
})
