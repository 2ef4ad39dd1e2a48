// Every request of the corpus, kinds `graphql` and `http`, against the real server, each of its expectations checked in
// full. `wire-requests.ts` says what an input may hold, `wire-expectations.ts` what may be expected; anything else
// fails. A case of our own is a line in a file of `requests/`.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isTimed, runWireLine } from '../wire/run-wire-line.ts'
import { startWireStage, type WireStage } from '../wire/wire-stage.ts'
import type { CorpusLine } from './corpus-lines.ts'
import { requestLines, unknownExceptions } from './request-lines.ts'

// Minutes, if one waited for the other.
const isSlow = ({ expect: { closedWithinMs } }: CorpusLine) => closedWithinMs !== undefined

let stage: WireStage

beforeAll(async () => {
  stage = await startWireStage()
})
afterAll(() => stage.stop())

// `corpus-requests.timed` sends those that are timed.
test.each(requestLines.filter(line => !isSlow(line) && !isTimed(line)))('$title', line =>
  runWireLine(line, stage),
)

describe.concurrent('clients that never end', () => {
  test.each(requestLines.filter(isSlow))('$title', line => runWireLine(line, stage))
})

test('all lines of the two kinds were read, and no exception is for a line that is not there', () => {
  expect(requestLines).toHaveLength(81)
  expect(unknownExceptions).toEqual([])
})

test('introspection is answered with a credential', async () => {
  const { status, body } = await stage.server.graphql('{__schema{types{name}}}', {}, stage.tokens.A)
  expect(status).toBe(200)
  expect(body.errors).toBeUndefined()
})
