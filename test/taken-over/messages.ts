import fc from 'fast-check'
import { type EndMessage, toLine } from '../../src/scripts/protocol.ts'

// Lines that a taken-over sandbox sends. `<run>` stands for the id of its run.

export type Message = Readonly<Record<string, unknown>>

const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const level = fc.constantFrom('debug', 'info', 'warn', 'error')
const data = fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 3 })

/** A log as ours would send it, and what must be in the answer. */
export const log = fc.record({ level, data }).map(({ level, data }) => ({
  message: { type: 'log', run: '<run>', level, data: JSON.stringify(data) },
  entry: { level, data: JSON.parse(JSON.stringify(data)) as unknown[] },
}))

export function callMessage(call: unknown, query = '{ viewer { accountCode } }'): Message {
  return { type: 'graphql', run: '<run>', call, query, variables: '{}', url: null }
}

export function endMessage(ending: unknown): Message {
  return { type: 'end', run: '<run>', ending }
}

/** An ending as ours would send it. */
export function endLine(ending: unknown): string {
  return toLine(endMessage(ending) as unknown as EndMessage)
}

const foreignRun = fc.oneof(
  fc.uuid(),
  fc.constantFrom('', ' ', '<run> ', '<run>\0', 'run', '0', '<RUN>', '__proto__', 'constructor'),
)
const noText = fc.constantFrom(null, 1, true, {}, [], ['x'], { toString: 'x' })
const noNumber = fc.constantFrom(null, '1', 0, -1, 1.5, 2 ** 53, -0.5, 1e308, true, [1], {})
const noJson = fc.constantFrom(
  '',
  '{',
  '[1',
  'undefined',
  'NaN',
  "{'a':1}",
  '[1]]',
  '{"a":1}{}',
  '\0',
  '['.repeat(3_000),
)

const error = { code: 'RUNTIME', message: 'm', line: null, column: null, stack: null }
const badError = fc.constantFrom<unknown>(
  { ...error, code: 'CRASHED' },
  { ...error, code: 'OVERLOADED' },
  { ...error, code: '__proto__' },
  { ...error, message: 'x'.repeat(10_001) },
  { ...error, message: null },
  { ...error, stack: 'x'.repeat(20_001) },
  { ...error, stack: 1 },
  { ...error, account: 'b' },
  { code: 'RUNTIME' },
  [],
  null,
)
const badEnding = fc.oneof(
  badError.map(error => ({ kind: 'error', error })),
  fc.constantFrom<unknown>(
    null,
    'exit',
    [],
    {},
    { kind: 'exit' },
    { kind: 'exit', payload: 1 },
    { kind: 'exit', payload: null },
    { kind: 'exit', payload: '1', message: 'm' },
    { kind: 'fail', message: { toString: 'x' } },
    { kind: 'fail', payload: '1' },
    { kind: 'crashed', reason: 'x' },
    { kind: 'unbegun' },
    { kind: ['exit'], payload: '1' },
    { kind: 'error' },
  ),
)

// Each breaks the protocol by itself, in the middle of any run.
const badMessage: fc.Arbitrary<Message> = fc.oneof(
  foreignRun.map(run => ({ type: 'log', run, level: 'info', data: '["forged"]' })),
  foreignRun.map(run => ({ ...callMessage(1), run })),
  foreignRun.map(run => ({ ...endMessage({ kind: 'exit', payload: '"forged"' }), run })),
  foreignRun.map(run => ({ type: 'cut', run, entries: 1, characters: 1, isFinal: true })),
  fc
    .constantFrom('run', 'answer', 'Ready', 'READY', '', '__proto__', 'toString', 'exit')
    .map(type => ({ type, run: '<run>' })),
  fc.constant({ type: 'ready' }),
  fc.constant({ type: 'ready', run: '<run>' }),
  fc
    .oneof(text, noText)
    .filter(value => typeof value !== 'string' || !['debug', 'info', 'warn', 'error'].includes(value))
    .map(level => ({ type: 'log', run: '<run>', level, data: '[]' })),
  fc
    .oneof(noText, noJson, fc.constantFrom('{}', '1', '"x"', 'null', 'true'))
    .map(data => ({ type: 'log', run: '<run>', level: 'info', data })),
  noNumber.map(call => callMessage(call)),
  fc.integer({ min: 40, max: 2 ** 31 }).map(call => callMessage(call)),
  noText.filter(value => value !== null).map(url => ({ ...callMessage(1), url })),
  fc
    .oneof(noText, noJson, fc.constantFrom('[]', '1', '"x"', 'true'))
    .map(variables => ({ ...callMessage(1), variables })),
  noText.map(query => ({ ...callMessage(1), query })),
  noNumber.map(entries => ({ type: 'cut', run: '<run>', entries, characters: 1, isFinal: true })),
  noNumber
    .filter(value => value !== 0)
    .map(characters => ({ type: 'cut', run: '<run>', entries: 1, characters, isFinal: true })),
  noText
    .filter(value => value !== true)
    .map(isFinal => ({ type: 'cut', run: '<run>', entries: 1, characters: 1, isFinal })),
  badEnding.map(endMessage),
  fc
    .constantFrom(
      'account',
      'accountCode',
      'caller',
      'depth',
      'transaction',
      'user',
      'scopes',
      'constructor',
      'toJSON',
    )
    .map(name => ({ ...callMessage(1), [name]: 'b' })),
  fc.constantFrom('run', 'call', 'query', 'variables', 'url', 'type').map(name => {
    const { [name]: _, ...rest } = callMessage(1)
    return rest
  }),
)

/** A line, without its end, that must be the death of the sandbox that sends it, whatever its run has done so far. */
export const badLine: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: badMessage.map(message => JSON.stringify(message)) },
  { weight: 1, arbitrary: text.map(text => `?${text.replaceAll('\n', '')}`) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }).map(value => JSON.stringify([value])) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '\0',
      '\ufeff{"type":"ready"}',
      '{"type":"ready"}{"type":"ready"}',
      '{"type":"ready","__proto__":{"run":"<run>"}}',
      '{"__proto__":{"type":"log","run":"<run>","level":"info","data":"[]"}}',
      '{"type":"log","run":"<run>","level":"info","data":"[]"',
      '{"type":"log","run":"<run>","level":"info","data":"[]","__proto__":1}',
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      `{"type":"graphql","run":"<run>","call":1e400,"query":"q","variables":"{}","url":null}`,
      'null',
      'null\u001e1',
      '{"type":"ready"}\u001e{"type":"ready"}',
      '\u001e{"type":"ready"}',
      '{"type":"end","run":"<run>","ending":null}\u001e1',
      '{"type":"end","run":"<run>","ending":"exit"}\u001e1',
      '{"type":"end","run":"<run>","ending":{"kind":"fail","message":""}}\u001e1',
      '{"type":"end","run":"<run>","ending":{"kind":"exit","payload":"1"}\u001e}',
      'true',
      '"ready"',
      '9'.repeat(400),
    ),
  },
)

/**
 * Anything, good or bad, for use after a bad line, where messages are ignored. `userId` must never get a membership.
 */
export function anyLine(userId: number): fc.Arbitrary<string> {
  const mutation = `mutation { addTeamMembership(input: { userId: ${userId}, teamId: 1 }) { id } }`
  return fc.oneof(
    { weight: 3, arbitrary: log.map(({ message }) => JSON.stringify(message)) },
    { weight: 3, arbitrary: badLine },
    { weight: 2, arbitrary: fc.nat(12).map(call => JSON.stringify(callMessage(call, mutation))) },
    { weight: 1, arbitrary: fc.constant(endLine({ kind: 'exit', payload: '"forged"' })) },
    { weight: 1, arbitrary: fc.constant('{"type":"ready"}') },
  )
}
