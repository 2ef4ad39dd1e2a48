import { callMessage, endMessage } from './messages.ts'
import type { Deed } from './start-taken-over.ts'

/**
 * The worst that one run of a taken-over sandbox may say: name, what it does, the code of the error that its caller
 * gets.
 */
export type WorstSpeech = readonly [name: string, deeds: readonly Deed[], code: string]

// Messages of one deed are written together.
const say = (...messages: readonly object[]): Deed => ({
  text: messages.map(message => `${JSON.stringify(message)}\n`).join(''),
})
const megabyte = 'x'.repeat(2 ** 20)
const open = { type: 'log', run: '<run>', level: 'info', data: '["' }
const opening = JSON.stringify(open).slice(0, -2)
// A message around many times the same text, which takes the place of `@`.
function around(message: object, text: string, times: number): Deed[] {
  const [before = '', after = ''] = JSON.stringify(message).split('@')
  return [{ text: before }, { text, times }, { text: `${after}\n` }]
}

const error = { code: 'RUNTIME', message: 'm', line: 1, column: 1, stack: null }

export const worstSpeeches: readonly WorstSpeech[] = [
  ['a log of 100 MB', around({ ...open, data: '["@"]' }, megabyte, 100), 'CRASHED'],
  ['a line that never ends', [{ text: megabyte, times: 200 }], 'CRASHED'],
  ['a line that never ends, of zeros', [{ text: '\0'.repeat(2 ** 14), times: 3_200 }], 'CRASHED'],
  ['a million empty lines', [{ text: '\n'.repeat(1_000), times: 1_000 }], 'CRASHED'],
  ['a million small messages', [{ text: '{"type":"ready"}\n'.repeat(1_000), times: 1_000 }], 'CRASHED'],
  [
    'a million small logs',
    [{ text: '{"type":"log","run":"<run>","level":"info","data":"[]"}\n', times: 1_000_000 }],
    'CRASHED',
  ],
  [
    'large logs, one after another',
    [{ text: `${JSON.stringify({ ...open, data: `["${'x'.repeat(200_000)}"]` })}\n`, times: 1_000 }],
    'CRASHED',
  ],
  ['a million brackets', [{ text: '['.repeat(1_000), times: 1_000 }, { text: '\n' }], 'CRASHED'],
  [
    'a result of a million brackets',
    around(endMessage({ kind: 'exit', payload: '@' }), '['.repeat(1_000), 1_000),
    'CRASHED',
  ],
  ['a result of eight megabytes', around(endMessage({ kind: 'exit', payload: '"@"' }), megabyte, 8), 'LIMIT'],
  ['a message of eight megabytes', around(endMessage({ kind: 'fail', message: '@' }), megabyte, 8), 'LIMIT'],
  [
    'a stack of ten megabytes',
    around(endMessage({ kind: 'error', error: { ...error, stack: '@' } }), megabyte, 10),
    'CRASHED',
  ],
  [
    'a message of five million line breaks',
    around(endMessage({ kind: 'error', error: { ...error, message: '@' } }), '\\n'.repeat(1_000), 5_000),
    'CRASHED',
  ],
  ['a query of 50 MB', around(callMessage(1, '@'), megabyte, 50), 'CRASHED'],
  ['a query past its limit', around(callMessage(1, '@'), megabyte, 2), 'CRASHED'],
  // Of several writes, the gateway could answer the first calls before it reads the next ones.
  ['forty calls at once', [say(...Array.from({ length: 40 }, (_, n) => callMessage(n + 1)))], 'CRASHED'],
  [
    'what was cut, a hundred times',
    Array.from({ length: 100 }, () =>
      say({ type: 'cut', run: '<run>', entries: 2 ** 53 - 1, characters: 2 ** 53 - 1, isFinal: true }),
    ),
    'CRASHED',
  ],
  ['a flood of errors', [{ error: megabyte, times: 100 }], 'CRASHED'],
  ['nothing, its output closed', [{ close: 1 }, { wait: 60_000 }], 'CRASHED'],
  ['nothing, its input and output closed', [{ close: 0 }, { close: 1 }, { block: true }], 'CRASHED'],
  ['nothing, as it ends at once', [{ exit: 0 }], 'CRASHED'],
  ['nothing, as its main loop is stuck', [{ block: true }], 'TIMEOUT'],
  ['nothing, as it is stopped', [{ stop: true }], 'TIMEOUT'],
  ['half a message, as it waits', [{ text: opening }, { wait: 60_000 }], 'TIMEOUT'],
]
