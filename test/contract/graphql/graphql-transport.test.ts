import { beforeAll, describe, expect, test } from 'vitest'
import { freshId } from '../../server/clients/memberships.ts'
import type { GraphqlBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const post = (body: unknown, headers: Record<string, string> = {}) =>
  server.rest<GraphqlBody>('POST', '/graphql', { body, headers })

describe('GET', () => {
  test('answers queries', async () => {
    const answer = await server.rest(
      'GET',
      `/graphql?query=${encodeURIComponent('{ viewer { accountCode } }')}`,
      {
        headers: { accept: 'application/json' },
      },
    )
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ data: { viewer: { accountCode: server.account } } })
  })

  test('reads variables and operationName', async () => {
    const query = new URLSearchParams({
      query: 'query A($id: ID!) { user(id: $id) { id } } query B { team(id: "1") { id } }',
      variables: '{"id":"99999999"}',
      operationName: 'A',
    })
    const answer = await server.rest('GET', `/graphql?${query}`, { headers: { accept: 'application/json' } })
    expect(answer.body).toEqual({ data: { user: null } })
  })

  test('takes an empty operation name as none', async () => {
    for (const query of ['{ viewer { accountCode } }', 'query A { viewer { accountCode } }']) {
      const text = new URLSearchParams({ query, operationName: '' })
      const answer = await server.rest('GET', `/graphql?${text}`, { headers: { accept: 'application/json' } })
      expect(answer.body).toEqual({ data: { viewer: { accountCode: server.account } } })
    }
  })

  test('never runs a mutation', async () => {
    const id = freshId()
    const query = encodeURIComponent(`mutation { saveTeam(input: {id: "${id}", name: "x"}) { id } }`)
    const answer = await server.rest('GET', `/graphql?query=${query}`, {
      headers: { accept: 'application/json' },
    })
    expect(answer.status).toBe(405)
    expect((await server.rest('GET', `/platform/teams/${id}`)).status).toBe(404)
  })
})

describe('POST', () => {
  test('refuses a batch', async () => {
    const answer = await post([{ query: '{ viewer { accountCode } }' }, { query: '{ viewer { userId } }' }])
    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain(server.account)
  })

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/graphql',
    'text/plain',
  ])('of the type %s is a 415 and runs nothing', async type => {
    const id = freshId()
    const mutation = `mutation{saveTeam(input:{id:"${id}",name:"x"}){id}}`
    const bodies: Record<string, string> = {
      'application/x-www-form-urlencoded': `query=${encodeURIComponent(mutation)}`,
      'multipart/form-data; boundary=x':
        `--x\r\ncontent-disposition: form-data; name="operations"\r\n\r\n` +
        `{"query":${JSON.stringify(mutation)}}\r\n` +
        `--x\r\ncontent-disposition: form-data; name="map"\r\n\r\n{}\r\n--x--\r\n`,
      'application/graphql': mutation,
    }
    const answer = await post(bodies[type] ?? JSON.stringify({ query: mutation }), { 'content-type': type })
    expect(answer.status).toBe(415)
    expect(answer.body.errors?.[0]?.extensions.code).toBe('UNSUPPORTED_MEDIA_TYPE')
    expect((await server.rest('GET', `/platform/teams/${id}`)).status).toBe(404)
  })

  test('reflects no origin', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const answers = [
      await post({ query: '{ __typename }' }, headers),
      await server.rest('OPTIONS', '/graphql', { headers, token: null }),
      await server.rest('OPTIONS', '/api/1/endpoint/execute', { headers, token: null }),
    ]
    for (const answer of answers) expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test.each([
    '{',
    '{"query":5}',
    '{}',
    '{"query":"{ __typename }","variables":[]}',
    '{"query":"{ __typename }","variables":"x"}',
    '{"query":["{ __typename }"]}',
  ])('of %s is a 400', async body => {
    expect((await post(body)).status).toBe(400)
  })

  test('past 2 MiB is a 413 in GraphQL shape', async () => {
    const answer = await post({ query: `{ __typename } #${'x'.repeat(2 ** 21)}` })
    expect(answer.status).toBe(413)
    expect(answer.body.errors?.[0]?.extensions.code).toBe('PAYLOAD_TOO_LARGE')
  })

  test('suggests no names', async () => {
    const answer = await post({ query: '{ viewr { accountCode } }' })
    expect(answer.text).not.toMatch(/did you mean/i)
  })
})
