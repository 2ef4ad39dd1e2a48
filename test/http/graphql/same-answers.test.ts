import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readOrdinaryOperation } from '../../../src/http/graphql/fast-path.ts'
import { chooseParams } from '../../properties/graphql/graphql-documents.ts'
import { timeLimitMs, totalCases } from '../../properties/plan/property-plan.ts'
import { chosen } from '../../properties/values/chooser.ts'
import { startApp, type TestApp } from '../edge/start-app.ts'
import { type ComparedRequest, comparedRequests } from './compared-requests.ts'

/** An application with a token for each name, and the same data as the other. */
interface TestedPath {
  readonly app: TestApp
  readonly tokens: Readonly<Record<NonNullable<ComparedRequest['as']>, string | null>>
}

let direct: TestedPath
let byYoga: TestedPath

beforeAll(async () => {
  direct = await startPath(true)
  byYoga = await startPath(false)
})
afterAll(() => Promise.all([direct.app.close(), byYoga.app.close()]))

async function startPath(hasFastPath: boolean): Promise<TestedPath> {
  const app = await startApp({ LOG_LEVEL: 'silent' }, { hasFastPath })
  const tokens = {
    admin: app.adminToken,
    reader: await app.issueToken('demo', ['memberships:read']),
    writer: await app.issueToken('demo', ['memberships:write']),
    stranger: await app.issueToken('other', ['memberships:read']),
    nobody: null,
  }
  const added = await app.graphql(`mutation {
    a: addTeamMembership(input: { userId: 7, teamId: 3 }) { id }
    b: addTeamMembership(input: { userId: 7, teamId: 4 }) { id }
  }`)
  expect(added.body.errors).toBeUndefined()
  return { app, tokens }
}

const ownHeaders = ['date', 'x-request-id', 'connection', 'keep-alive']

async function ask({ app, tokens }: TestedPath, { target = '', as = 'admin', ...request }: ComparedRequest) {
  const { status, headers, text } = await app.send(`/graphql${target}`, { token: tokens[as], ...request })
  const compared = [...headers]
    .filter(([name]) => !ownHeaders.includes(name))
    .map(([name, value]) => [
      name,
      name === 'content-length' ? Number(value) === Buffer.byteLength(text) : value,
    ])
    .sort()
  return { status, headers: compared, text: maskOwn(text) }
}

// Each has written its own events and run its own scripts, at other times and as part of other requests.
function maskOwn(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<request>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/"durationMs":[\d.]+/g, '"durationMs":0')
}

async function compare(request: ComparedRequest) {
  const expected = await ask(byYoga, request)
  expect(await ask(direct, request), JSON.stringify(request).slice(0, 2_000)).toEqual(expected)
  return expected
}

// The test would show nothing if all went the same way.
function isOrdinary({ method = 'GET', headers = {}, body }: ComparedRequest): boolean {
  const type = { 'content-type': 'application/json', ...headers }
  return readOrdinaryOperation({ method, headers: type, body } as unknown as FastifyRequest) !== null
}

test('requests of every kind get the same status, headers and bytes either way', async () => {
  const statuses = new Set<number>()
  for (const request of comparedRequests) statuses.add((await compare(request)).status)
  expect([...statuses].sort()).toEqual([200, 400, 401, 403, 405, 406, 415])
  expect(comparedRequests.filter(isOrdinary).length).toBeGreaterThan(80)
})

test('and so they do once their documents are hot', async () => {
  const queries = comparedRequests.filter(
    ({ body }) => isOrdinary({ method: 'POST', body }) && !/mutation/.test(JSON.stringify(body)),
  )
  const answers = new Map<ComparedRequest, unknown>()
  for (const request of queries) answers.set(request, await ask(byYoga, request))
  for (let time = 0; time < 10; time++) {
    for (const request of queries) {
      expect(await ask(direct, request), JSON.stringify(request).slice(0, 2_000)).toEqual(
        answers.get(request),
      )
    }
  }
})

test('operations made from the schema, mutations too, get the same answers either way', {
  timeout: timeLimitMs,
}, async () => {
  const numRuns = Math.min(totalCases / 5, 700)
  const accept = ['application/json', 'application/graphql-response+json']
  // Runs take their own time and have their own ids.
  const samples = fc
    .sample(chosen(chooseParams), { numRuns, seed: 20_261_120 })
    .filter(({ query }) => !query.includes('executeTask'))
  for (const [index, body] of samples.entries()) {
    await compare({ method: 'POST', body, headers: { accept: accept[index % 2] ?? '' } })
  }
  expect(samples.filter(body => isOrdinary({ method: 'POST', body })).length).toBeGreaterThan(
    (numRuns * 5) / 7,
  )
})

const audits = serverAudits({
  url: () => `${byYoga.app.url}/graphql`,
  fetchFn: (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${byYoga.tokens.admin}`)
    return fetch(url, { ...init, headers })
  },
})

// The fast path passes them in `test/conformance`.
test('requests through Yoga pass every audit of GraphQL over HTTP as well', async () => {
  for (const audit of audits) {
    const result = await audit.fn()
    expect(result.status === 'ok' ? 'ok' : result.reason, audit.name).toBe('ok')
  }
})
