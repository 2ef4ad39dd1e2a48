import { type Expectation, readCorpusLines } from './corpus-lines.ts'

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

/** The requests of the corpus, kinds `graphql` and `http`. */
export const requestLines = [...readCorpusLines('graphql'), ...readCorpusLines('http')].map(line => {
  const exception = contractHolds[line.id]
  const title = exception === undefined ? `${line.id} (${line.class})` : `${line.id}: ${exception.reason}`
  return { ...line, title, expect: withoutAbsent({ ...line.expect, ...exception?.instead }) }
})

/** Ids of lines that have an exception, though there are no such lines. */
export const unknownExceptions = Object.keys(contractHolds).filter(
  id => !requestLines.some(line => line.id === id),
)

function withoutAbsent(expectation: Expectation): Expectation {
  return Object.fromEntries(Object.entries(expectation).filter(([, value]) => value !== undefined))
}
