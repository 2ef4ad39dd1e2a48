import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMessage } from '../../../src/scripts/parse-message.ts'

const error = { code: 'RUNTIME', message: 'm', line: 1, column: 2, stack: null }
const end = { type: 'end', run: 'r', ending: { kind: 'exit', payload: '1' } }
const cut = { type: 'cut', run: 'r', entries: 1, characters: 0, isFinal: true }
const call = { type: 'graphql', run: 'r', call: 1, query: 'q', variables: 'null', url: null }
const log = { type: 'log', run: 'r', level: 'info', data: '[]' }

const good: object[] = [
  { type: 'ready' },
  { type: 'begun', run: 'r' },
  log,
  { ...log, level: 'error' },
  call,
  { ...call, url: 'https://host/' },
  cut,
  end,
  { ...end, ending: { kind: 'fail', message: '' } },
  { ...end, ending: { kind: 'error', error } },
  { ...end, ending: { kind: 'error', error: { ...error, line: null, column: null, stack: 's' } } },
]

test.each(good)('%j is a message', message => {
  expect(parseMessage(JSON.stringify(message))).toEqual(message)
})

const bad: [string, unknown][] = [
  ['null', null],
  ['a number', 1],
  ['a text', 'ready'],
  ['an array', [{ type: 'ready' }]],
  ['no type', {}],
  ['an unknown type', { type: 'exec' }],
  ['a type of another kind', { type: ['ready'] }],
  ['ready with more', { type: 'ready', run: 'r' }],
  ['begun without its run', { type: 'begun' }],
  ['a log without its run', { type: 'log', level: 'info', data: '[]' }],
  ['a log of a level that is none', { ...log, level: 'fatal' }],
  ['a log whose level is a property of all objects', { ...log, level: 'constructor' }],
  ['a log with data as an object', { ...log, data: [] }],
  ['a call number 0', { ...call, call: 0 }],
  ['a call number below 0', { ...call, call: -1 }],
  ['half a call', { ...call, call: 1.5 }],
  ['a call number too large to count', { ...call, call: 2 ** 60 }],
  ['a call number as text', { ...call, call: '1' }],
  ['a call without url', { type: 'graphql', run: 'r', call: 1, query: 'q', variables: 'null' }],
  ['a call with a caller of its own', { ...call, caller: { accountCode: 'beta' } }],
  ['an end without an ending', { type: 'end', run: 'r' }],
  ['an ending of no kind', { ...end, ending: {} }],
  ['an ending of two kinds', { ...end, ending: { kind: 'exit', payload: '1', message: 'm' } }],
  ['an exit with a value', { ...end, ending: { kind: 'exit', payload: { a: 1 } } }],
  ['a fail without a message', { ...end, ending: { kind: 'fail' } }],
  [
    'an error that only the gateway may find',
    { ...end, ending: { kind: 'error', error: { ...error, code: 'CRASHED' } } },
  ],
  [
    'an error of endless text',
    { ...end, ending: { kind: 'error', error: { ...error, message: 'm'.repeat(1e5) } } },
  ],
  [
    'an error of an endless stack',
    { ...end, ending: { kind: 'error', error: { ...error, stack: 's'.repeat(1e5) } } },
  ],
  ['a count of no entries', { ...cut, entries: 0 }],
  ['a negative count of characters', { ...cut, characters: -1 }],
  ['a count that is not a number', { ...cut, characters: null }],
  ['a count that may be final', { ...cut, isFinal: 'yes' }],
]

describe('anything else is null', () => {
  test.each(bad)('%s', (_, message) => {
    expect(parseMessage(JSON.stringify(message))).toBe(null)
  })

  test.each([
    ['nothing', ''],
    ['a blank', ' '],
    ['half an object', '{"type":"ready"'],
    ['two objects', '{"type":"ready"}{"type":"ready"}'],
    ['a bare word', 'ready'],
    ['a zero byte', '\u0000'],
    ['a prototype', '{"type":"ready","__proto__":{}}'],
    ['a text without a message', '\u001e1'],
    ['a text after null', 'null\u001e1'],
    ['a text after a message that has none', '{"type":"ready"}\u001e1'],
    ['a text after a fail', `${JSON.stringify({ ...end, ending: { kind: 'fail', message: '' } })}\u001e1`],
    ['a text after an ending that is a text', `${JSON.stringify({ ...end, ending: 'exit' })}\u001e1`],
    ['an endless array', '['.repeat(1e6)],
    ['an endless object', `${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`],
  ])('%s', (_, text) => {
    expect(parseMessage(text)).toBe(null)
  })

  test('any fields', () => {
    const field = fc.oneof(fc.jsonValue(), fc.constantFrom('r', '1', 1, 0, null))
    const messages = fc.record(
      {
        type: fc.constantFrom('ready', 'log', 'cut', 'graphql', 'end', 'answer', 'run'),
        run: field,
        level: field,
        data: field,
        call: field,
        query: field,
        variables: field,
        url: field,
        ending: fc.oneof(
          field,
          fc.record({ kind: fc.constantFrom('exit', 'fail', 'error'), payload: field }),
        ),
        entries: field,
        isFinal: field,
        characters: field,
      },
      { requiredKeys: ['type'] },
    )
    const allowed: Record<string, string> = {
      ready: 'type',
      log: 'data level run type',
      graphql: 'call query run type url variables',
      cut: 'characters entries isFinal run type',
      end: 'ending run type',
    }
    fc.assert(
      fc.property(messages, message => {
        const parsed = parseMessage(JSON.stringify(message))
        return parsed === null || Object.keys(parsed).toSorted().join(' ') === allowed[parsed.type]
      }),
      { numRuns: 5_000 },
    )
  })
})

test('an invalid position is dropped and the ending is kept', () => {
  const given = { ...end, ending: { kind: 'error', error: { ...error, line: -2, column: 0.5 } } }
  expect(parseMessage(JSON.stringify(given))).toEqual({
    ...end,
    ending: { kind: 'error', error: { ...error, line: null, column: null } },
  })
})

test('a forged message does not change other objects', () => {
  parseMessage('{"type":"ready","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
  parseMessage(`{"type":"end","run":"r","ending":{"kind":"exit","payload":"1","__proto__":{"polluted":1}}}`)
  expect(Reflect.get({}, 'polluted')).toBe(undefined)
})
