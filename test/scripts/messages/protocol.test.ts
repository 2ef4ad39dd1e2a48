import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FromSandbox, readLine, type ToSandbox, toLine } from '../../../src/scripts/protocol.ts'
import { runMessage } from '../launch/start-sandbox.ts'

type Message = ToSandbox | FromSandbox

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a\nb', '\u001e', '\u2028', '"', '\ud800'),
)
// A document that a client sends as text may have half of a surrogate pair without an escape.
const json = fc.oneof(
  fc.jsonValue().map(value => JSON.stringify(value)),
  fc.constantFrom('"\ud800"', '{"\udc00\ud800":"\u2028"}'),
)
const given = fc.oneof(
  fc
    .record({ payload: json, source: text })
    .map(({ payload, source }) => ({ ...runMessage(source), payload })),
  json.map((payload): Message => ({ type: 'end', run: 'r', ending: { kind: 'exit', payload } })),
  text.map((message): Message => ({ type: 'end', run: 'r', ending: { kind: 'fail', message } })),
  json.map((text): Message => ({ type: 'answer', run: 'r', call: 1, ok: true, text })),
  text.map((text): Message => ({ type: 'answer', run: 'r', call: 1, ok: false, text, code: 'FORBIDDEN' })),
  json.map((data): Message => ({ type: 'log', run: 'r', level: 'info', data })),
  text.map((query): Message => ({ type: 'graphql', run: 'r', call: 1, query, variables: 'null', url: null })),
)

test('a message that was written as a line is read again as it was', () => {
  fc.assert(
    fc.property(given, message => {
      const line = toLine(message)
      expect(line).not.toContain('\n')
      // As the other process reads it.
      const received = Buffer.from(line).toString('utf8')
      expect(readLine(received)).toEqual(message)
    }),
  )
})

test('a document on several lines stays the same document', () => {
  const document = { text: 'a\nb\u2028', list: [1, [2]] }
  const message = { ...runMessage('exit(1)'), payload: JSON.stringify(document, null, 2) }
  const line = toLine(message)
  expect(line).not.toContain('\n')
  const { payload } = readLine(line) as { payload: string }
  expect(JSON.parse(payload)).toEqual(document)
})

test('a document is not escaped', () => {
  const payload = JSON.stringify({ text: '"'.repeat(1_000) })
  expect(toLine({ ...runMessage('exit(1)'), payload }).endsWith(payload)).toBe(true)
})
