// The runner of the requests must itself be able to fail.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CorpusLine } from '../corpus/corpus-lines.ts'
import { runWireLine } from './run-wire-line.ts'
import { startWireStage, type WireStage } from './wire-stage.ts'

let stage: WireStage

beforeAll(async () => {
  stage = await startWireStage()
})
afterAll(() => stage.stop())

const list = '/platform/team_memberships?ids[]={ID_OF_ACCOUNT_A}'
const authorization = 'Bearer {TOKEN_A}'
const run = (kind: 'http' | 'graphql', input: object, expectation: object) =>
  runWireLine(
    { id: 'x', class: 'x', kind, input: { ...input }, expect: { ...expectation } } satisfies CorpusLine,
    stage,
  )

test.each<[string, 'http' | 'graphql', object, object]>([
  ['an unknown key in `expect`', 'graphql', { query: '{viewer{userId}}' }, { statsu: [200] }],
  ['an unknown key in `input`', 'graphql', { qeury: '{viewer{userId}}' }, {}],
  ['an unknown key in `input` of HTTP', 'http', { path: '/health', boyd: '' }, {}],
  ['an unknown key in `raw`', 'http', { raw: { write: ['GET / HTTP/1.0\r\n\r\n'], often: 2 } }, {}],
  ['a placeholder that nothing fills', 'http', { path: '/health?{TOKEN_C}' }, {}],
  ['a resolver that runs', 'graphql', { query: '{viewer{userId}}' }, { resolverCalls: 0 }],
  ['an answer where a refusal is expected', 'graphql', { query: '{viewer{userId}}' }, { rejected: true }],
  ['a refusal where an answer is expected', 'graphql', { query: '{nothing}' }, { rejected: false }],
  ['another bound', 'graphql', { query: '{nothing}' }, { bound: ['cost'] }],
  ['another status', 'http', { path: '/nowhere' }, { status: [200] }],
  ['no answer at all', 'http', { raw: { write: ['GET'], halfClose: true } }, { statuses: [200] }],
  [
    'other data',
    'graphql',
    { query: '{viewer{accountCode}}' },
    { data: { viewer: { accountCode: 'beta' } } },
  ],
  ['a path that is missing', 'graphql', { query: '{viewer{userId}}' }, { path: { 'data.b': null } }],
  ['a text that must not be there', 'http', { path: '/nowhere' }, { notContains: 'NOT_FOUND' }],
  ['other ids', 'http', { path: list, headers: { authorization } }, { idsReturned: ['1', '2'] }],
  ['an effect', 'http', { path: '/nowhere' }, { noEffectOf: 'extra headers', status: [200] }],
  ['too slow an answer', 'http', { path: '/health' }, { maxMs: 0 }],
  [
    'a row that is created',
    'graphql',
    { query: 'mutation{addTeamMembership(input:{userId:93,teamId:93}){id}}' },
    { nothingCreated: true },
  ],
  [
    "a change of B's row",
    'graphql',
    { query: 'mutation{moveTeamMembership(id:{ID_OF_ACCOUNT_B},input:{teamId:94}){id}}', as: 'B' },
    { rowOfAccountBUnchanged: true },
  ],
])('%s fails', async (_title, kind, input, expectation) => {
  await expect(run(kind, input, expectation)).rejects.toThrow()
})

test('what is as expected passes', async () => {
  await run(
    'graphql',
    { query: '{__typename}' },
    { resolverCalls: 0, data: { __typename: 'Query' }, note: 'x' },
  )
  await run('http', { path: list, headers: { authorization } }, { idsReturned: ['{ID_OF_ACCOUNT_A}'] })
})
