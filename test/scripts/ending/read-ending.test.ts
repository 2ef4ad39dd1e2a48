import { expect, test } from 'vitest'
import { readEnding } from '../../../src/scripts/ending/read-ending.ts'
import type { Ending } from '../../../src/scripts/protocol.ts'

const maxBytes = 20
const failure = (code: 'RUNTIME' | 'TIMEOUT' | 'MEMORY'): Ending => ({
  kind: 'error',
  error: { code, message: 'x', line: null, column: null, stack: null },
})

test.each<[string, Ending, boolean]>([
  ['a result', { kind: 'exit', payload: '"€€€€€€"' }, true],
  ['a message', { kind: 'fail', message: '€€€€€€' }, true],
  ['an error of the script', failure('RUNTIME'), true],
  ['the end of its time', failure('TIMEOUT'), false],
  ['the end of its memory', failure('MEMORY'), false],
])(
  '%s is taken as it is, and its sandbox is used again unless the script may go on',
  (_, said, isReusable) => {
    const read = readEnding(said, maxBytes)
    expect([read.ending.kind, read.isReusable]).toEqual([said.kind, isReusable])
  },
)

test.each<[string, Ending, string]>([
  ['a result too large', { kind: 'exit', payload: '"€€€€€€€"' }, 'LIMIT'],
  ['a message too large', { kind: 'fail', message: '€€€€€€€' }, 'LIMIT'],
  [
    'a message of control characters, which take six bytes each',
    { kind: 'fail', message: '\u0001'.repeat(4) },
    'LIMIT',
  ],
  ['a result that is not JSON', { kind: 'exit', payload: '{' }, 'CRASHED'],
  ['a result on two lines', { kind: 'exit', payload: '[1,\n2]' }, 'CRASHED'],
])('%s is not taken, and its sandbox is not used again', (_, said, code) => {
  expect(readEnding(said, maxBytes)).toMatchObject({
    ending: { kind: 'error', error: { code } },
    isReusable: false,
  })
})

test('half of a surrogate pair in a result is escaped', () => {
  const { ending } = readEnding({ kind: 'exit', payload: '["\ud800€"]' }, maxBytes)
  expect(ending.kind === 'exit' && ending.payload.text).toBe('["\\ud800€"]')
})
