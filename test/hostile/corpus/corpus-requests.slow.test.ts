// Every request of the corpus, kinds `graphql` and `http`, against the real server, each of its expectations checked in
// full. `wire-requests.ts` says what an input may hold, `wire-expectations.ts` what may be expected; anything else
// fails. A case of our own is a line in a file of `requests/`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isTimed, runWireLine } from '../wire/run-wire-line.ts'
import { startWireStage, type WireStage } from '../wire/wire-stage.ts'
import { type CorpusLine, type Expectation, readCorpusLines } from './corpus-lines.ts'

// Where corpus and contract disagree the contract holds: what is expected instead. `undefined` takes a key away.
const contractHolds: Readonly<Record<string, { reason: string; instead: Expectation }>> = {
  'http-028': { reason: 'a cookie is no credential, which comes first', instead: { status: [401] } },
  'http-029': { reason: 'a cookie is no credential, which comes first', instead: { status: [401] } },
  'http-031': { reason: 'a cookie is no credential, which comes first', instead: { status: [401] } },
  'gql-018': {
    reason: 'ids go to 2^53-1: this is one that nobody has',
    instead: { rejected: undefined, status: [200], data: { teamMembership: null } },
  },
  'red-137': {
    reason: 'CONNECT is refused after the answer of the request before it',
    instead: { status: undefined, statuses: [200, 400] },
  },
  'red-112': {
    reason: 'a field that may be null is refused by itself',
    instead: { rejected: undefined, code: 'BAD_USER_INPUT', data: { teamMembership: null } },
  },
  'red-114': {
    reason: 'a field that may be null is refused by itself',
    instead: { rejected: undefined, code: 'BAD_USER_INPUT', data: { teamMembershipEvents: null } },
  },
  'red3-029': {
    reason: 'a field that may be null is refused by itself',
    instead: { rejected: undefined, code: 'BAD_USER_INPUT', data: { saveCase: null } },
  },
  'red3-037': {
    reason: 'a field that may be null is refused by itself',
    instead: { rejected: undefined, code: 'BAD_USER_INPUT', data: { saveCaseType: null } },
  },
}

const lines = [...readCorpusLines('graphql'), ...readCorpusLines('http')].map(line => {
  const exception = contractHolds[line.id]
  const title = exception === undefined ? `${line.id} (${line.class})` : `${line.id}: ${exception.reason}`
  return { ...line, title, expect: withoutAbsent({ ...line.expect, ...exception?.instead }) }
})

// Minutes, if one waited for the other.
const isSlow = ({ expect: { closedWithinMs } }: CorpusLine) => closedWithinMs !== undefined

let stage: WireStage

beforeAll(async () => {
  stage = await startWireStage()
})
afterAll(() => stage.stop())

// `corpus-requests.timed` sends those that are timed.
test.each(lines.filter(line => !isSlow(line) && !isTimed(line)))('$title', line => runWireLine(line, stage))

describe.concurrent('clients that never end', () => {
  test.each(lines.filter(isSlow))('$title', line => runWireLine(line, stage))
})

test('all lines of the two kinds were read, and no exception is for a line that is not there', () => {
  expect(lines).toHaveLength(81)
  const ids = lines.map(({ id }) => id)
  expect(Object.keys(contractHolds).filter(id => !ids.includes(id))).toEqual([])
})

test('introspection is answered with a credential', async () => {
  const { status, body } = await stage.server.graphql('{__schema{types{name}}}', {}, stage.tokens.A)
  expect(status).toBe(200)
  expect(body.errors).toBeUndefined()
})

function withoutAbsent(expectation: Expectation): Expectation {
  return Object.fromEntries(Object.entries(expectation).filter(([, value]) => value !== undefined))
}
