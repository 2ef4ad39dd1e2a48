import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../server/gateways/start-server.ts'
import { valuesOf } from './arbitraries.ts'
import {
  describeMisfit,
  findUndocumented,
  operations,
  type PlacedOperation,
  type Schema,
} from './document.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ ROSTRUM_TASK_CPU_MS: '200', ROSTRUM_TASK_TIMEOUT_MS: '2000' })
})
afterAll(async () => void (await server.stop()))

interface Sent {
  readonly values: Readonly<Record<string, unknown>>
  readonly body: unknown
}

function requestsOf({ parameters = [], requestBody }: PlacedOperation): fc.Arbitrary<Sent> {
  const values = Object.fromEntries(
    parameters.map(({ name, schema, required }) => [
      name,
      required ? valuesOf(schema) : fc.option(valuesOf(schema), { nil: undefined, freq: 3 }),
    ]),
  )
  const schema = requestBody?.content['application/json']?.schema
  return fc.record({
    values: fc.record(values),
    body: schema === undefined ? fc.constant(undefined) : valuesOf(schema),
  })
}

async function send(
  operation: PlacedOperation,
  { values, body }: Sent,
  token: string | null = server.adminToken,
) {
  const { method, path, parameters = [] } = operation
  const url = new URL(
    server.baseUrl +
      path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name]))),
  )
  const headers = new Headers(token === null ? {} : { authorization: `Bearer ${token}` })
  for (const { name, in: place } of parameters) {
    const value = values[name]
    if (value === undefined) continue
    if (place === 'query') for (const each of [value].flat()) url.searchParams.append(name, String(each))
    if (place === 'header' && /^[\x20-\x7e]*$/.test(String(value))) headers.set(name, String(value))
  }
  if (body !== undefined) headers.set('content-type', 'application/json')
  const answer = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const asked = operations.filter(({ operationId }) => operationId !== 'deliverWebhook')

test.each(asked)(
  '$operationId answers what its schema accepts with what the document says',
  async operation => {
    await fc.assert(
      fc.asyncProperty(requestsOf(operation), async sent => {
        // The gateway refuses a key `__proto__` at any depth, which a JSON Schema cannot say.
        fc.pre(!JSON.stringify(sent.body ?? null).includes('__proto__'))
        const answer = await send(operation, sent)
        expect(findUndocumented(operation, answer)).toBeNull()
        expect(answer.status).not.toBe(400)
        expect(answer.status).toBeLessThan(500)
      }),
      { numRuns: 25 },
    )
  },
)

test.each(asked.filter(({ requestBody }) => requestBody?.required === true))(
  '$operationId refuses a body that its schema refuses with a documented 4xx',
  async operation => {
    const schema = operation.requestBody?.content['application/json']?.schema as Schema
    const broken = fc
      .tuple(requestsOf(operation), fc.jsonValue({ maxDepth: 3 }))
      .map(([sent, body]) => ({ ...sent, body }))
      .filter(({ body }) => describeMisfit(schema, body) !== null)
    await fc.assert(
      fc.asyncProperty(broken, async sent => {
        const answer = await send(operation, sent)
        expect(findUndocumented(operation, answer)).toBeNull()
        expect(String(answer.status)).toMatch(/^4/)
      }),
      { numRuns: 15 },
    )
  },
)

test.each(asked.filter(({ security }) => security.length > 0))(
  '$operationId needs a credential',
  async operation => {
    const [sent] = fc.sample(requestsOf(operation), { numRuns: 1, seed: 1 })
    if (sent === undefined) throw new Error('expected a request')
    const answer = await send(operation, sent, null)
    expect(answer.status).toBe(401)
    expect(findUndocumented(operation, answer)).toBeNull()
  },
)

test('what is created can be got, changed and deleted by its links, and is gone then', async () => {
  const byId = new Map(operations.map(operation => [operation.operationId, operation]))
  for (const [create, ...followed] of [
    [
      'createTeamMembership',
      'getTeamMembership',
      'updateTeamMembership',
      'deleteTeamMembership',
      'getTeamMembership',
    ],
    ['createCase', 'getCase', 'replaceCase', 'mergeCase', 'deleteCase', 'getCase'],
  ] as const) {
    const creating = byId.get(create) as PlacedOperation
    const example = (operation: PlacedOperation) =>
      operation.requestBody?.content['application/json']?.example
    const created = await send(creating, { values: {}, body: example(creating) })
    expect(created.status).toBe(201)
    const [record] = Object.values(JSON.parse(created.text) as Record<string, { id: number }>)
    const statuses: number[] = []
    for (const name of followed) {
      const operation = byId.get(name) as PlacedOperation
      const answer = await send(operation, { values: { id: record?.id }, body: example(operation) })
      expect(findUndocumented(operation, answer)).toBeNull()
      statuses.push(answer.status)
    }
    expect(statuses.at(-1)).toBe(404)
    expect(statuses.slice(0, -1).every(status => status < 300)).toBe(true)
  }
})
