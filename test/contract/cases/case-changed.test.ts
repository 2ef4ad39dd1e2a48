import { beforeAll, expect, test } from 'vitest'
import { readEventStream } from '../../server/clients/read-event-stream.ts'
import { type SharedServer, shareReplicas } from '../../server/gateways/share-server.ts'

let writer: SharedServer
let other: SharedServer

beforeAll(async () => {
  ;[writer, other] = await shareReplicas()
})

interface Seen {
  readonly cursor: string
  readonly kind: string
  readonly caseId: string
  readonly version: number
}

interface Part {
  readonly data?: { readonly caseChanged: Seen } | null
  readonly errors?: readonly unknown[]
}

/** Opens a stream and reads it until there are `count` events. Fails with the error that came in the place of one. */
async function follow(server: SharedServer, args: string, count: number): Promise<() => Promise<Seen[]>> {
  const leaving = new AbortController()
  const ask = () =>
    fetch(`${server.baseUrl}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.adminToken}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: `subscription { caseChanged${args} { cursor kind caseId version } }` }),
      signal: leaving.signal,
    })
  let body: Response['body'] = null
  // A busy gateway may refuse a stream, and answers the refusal as a stream too.
  await expect
    .poll(async () => {
      const response = await ask()
      if (!response.ok) return `${response.status}: ${await response.text()}`
      body = response.body
      return 'open'
    })
    .toBe('open')
  const reading = body === null ? Promise.reject(new Error('The answer has no body.')) : read(body, count)
  const events = reading.finally(() => leaving.abort())
  // The failure is for the test that asks for the events, which may be later.
  events.catch(() => {})
  return () => events
}

async function read(body: ReadableStream<Uint8Array>, count: number): Promise<Seen[]> {
  const seen: Seen[] = []
  for await (const { event, data } of readEventStream(body)) {
    const part: Part = event === 'complete' ? {} : JSON.parse(data)
    if (part.data == null) throw new Error(`After ${seen.length} events came "${event}": ${data}`)
    seen.push(part.data.caseChanged)
    if (seen.length === count) return seen
  }
  throw new Error(`The stream ended after ${seen.length} events.`)
}

async function create(code: string): Promise<number> {
  const { body } = await writer.rest<{ case: { id: number } }>('POST', '/platform/cases', {
    body: { case: { case_type_code: code, data: {} } },
  })
  return body.case.id
}

const save = (id: number, value: number) =>
  writer.rest('PUT', `/platform/cases/${id}`, { body: { case: { data: { value } } } })

test('a stream at another gateway has the wanted changes, in order, also from a cursor', async () => {
  const one = await create('incident')
  const two = await create('order')
  const [all, orders, ones] = await Promise.all([
    follow(other, '', 5),
    follow(other, '(caseTypeCode: "order")', 2),
    follow(other, `(ids: ["${one}"])`, 3),
  ])
  await save(one, 1)
  await save(two, 1)
  await save(one, 2)
  await writer.rest('DELETE', `/platform/cases/${one}`)
  await save(two, 2)
  const seen = await all()
  expect(seen.map(({ kind, caseId, version }) => [kind, Number(caseId), version])).toEqual([
    ['SAVED', one, 2],
    ['SAVED', two, 2],
    ['SAVED', one, 3],
    ['DELETED', one, 3],
    ['SAVED', two, 3],
  ])
  expect((await orders()).map(({ caseId }) => Number(caseId))).toEqual([two, two])
  expect((await ones()).map(({ kind }) => kind)).toEqual(['SAVED', 'SAVED', 'DELETED'])
  const after = await follow(other, `(after: "${seen[2]?.cursor}")`, 2)
  expect(await after()).toEqual(seen.slice(3))
})

test('merges at two gateways at once all arrive', async () => {
  const id = await create('incident')
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      [writer, other][index % 2]?.rest('PATCH', `/platform/cases/${id}`, {
        body: { case: { data: { [`f${index}`]: index } } },
      }),
    ),
  )
  expect(answers.map(answer => answer?.status)).toEqual(answers.map(() => 200))
  const { body } = await other.rest<{ case: { data: object } }>('GET', `/platform/cases/${id}`)
  expect(Object.keys(body.case.data)).toHaveLength(20)
})

async function followChanges(
  after: string,
  count: number,
): Promise<Pick<Part, 'data'> & { readonly errors?: Failure[] }[]> {
  const query = `subscription { caseChanged(after: "${after}") { cursor version changedFields } }`
  const leaving = new AbortController()
  const { body } = await fetch(`${writer.baseUrl}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${writer.adminToken}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query }),
    signal: leaving.signal,
  })
  const parts = []
  if (body === null) throw new Error('The answer has no body.')
  for await (const { data } of readEventStream(body)) {
    parts.push(JSON.parse(data))
    if (parts.length === count) break
  }
  leaving.abort()
  return parts
}

interface Failure {
  readonly message: string
  readonly extensions: { readonly cursor?: string }
}

test('an event that is too long is an error with its cursor, and those after it have their data', async () => {
  const id = await create('long')
  const { body } = await writer.graphql<{ case: { events: { nodes: Seen[] } } }>(
    `{ case(id: ${id}) { events { nodes { cursor } } } }`,
  )
  const start = body.data?.case.events.nodes[0]?.cursor ?? ''
  const put = (value: string) =>
    writer.rest('PUT', `/platform/cases/${id}`, { body: { case: { data: { value } } } })
  await put('x'.repeat(70_000))
  await put('')
  // Together they have more than one answer may have.
  for (let n = 0; n < 42; n++) await put(String(n % 10).repeat(30_000))
  const [tooLong, ...rest] = await followChanges(start, 44)
  const [error] = tooLong?.errors ?? []
  expect(error?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', bound: 'eventBytes', most: 65_536 })
  expect(error?.message).toMatch(/event/)
  expect(error?.message).not.toMatch(/operation|changed or ran/)
  const [second] = await followChanges(error?.extensions.cursor ?? '', 1)
  expect(second).toEqual(rest[0])
  expect(rest.slice(1).filter(({ errors }) => errors !== undefined)).toEqual([])
  expect(rest).toHaveLength(43)
})
