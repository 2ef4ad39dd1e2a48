// Requests of our own, one a line in the files of `requests/`, in the corpus's form: `{id, class, kind, input,
// expect}`. To add one, add a line. Of kind `graphql` an `input` holds `query`, `variables`, `operationName`,
// `extensions` or a whole `body`, `headers`, `method`, and `as` (`A` by default, `B`, `nobody`); of kind `http` it
// holds `method`, `path`, `headers`, `body`, or `raw` bytes: `{write: [...], thenByteEveryMs, neverRead, halfClose,
// repeat}`. A key that ends in `Js` is an expression that makes the value; `{TOKEN_A}`, `{TOKEN_B}`,
// `{ID_OF_ACCOUNT_A}`, `{ID_OF_ACCOUNT_B}` are filled in. What `expect` may hold is in `wire-expectations.ts`. Whatever
// a line expects, its answers must keep to the contract.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCorpusLines } from '../corpus/corpus-lines.ts'
import { runWireLine } from './run-wire-line.ts'
import { startWireStage, type WireStage } from './wire-stage.ts'

const lines = [
  ...readCorpusLines('graphql', ['../requests/graphql.jsonl']),
  ...readCorpusLines('http', ['../requests/http.jsonl']),
]

let stage: WireStage

beforeAll(async () => {
  stage = await startWireStage()
})
afterAll(() => stage.stop())

test('no two lines have the same id', () => {
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
})

test.each(lines)('$id ($class, $kind)', line => runWireLine(line, stage))
