import { expect, test } from 'vitest'
import { judgeAnswer } from '../../../src/http/idempotency/judge-answer.ts'

const judge = (status: number, result: object | null = null, mayRun = false, hasRun = false) =>
  judgeAnswer({
    status,
    body: Buffer.from(JSON.stringify(result)),
    isGraphql: result !== null,
    mayRun,
    hasRun,
  })
const failed = (code: string, data: object | null = { one: null }) => ({
  data,
  errors: [{ message: 'No.', extensions: { code } }],
})

test.each([200, 201, 204, 400, 404, 409, 412, 413, 422])('%i is final', status => {
  expect(judge(status)).toBe('final')
})

test.each([401, 403, 406, 429])('%i says that nothing was done', status => {
  expect(judge(status)).toBe('undone')
})

test.each([401, 403, 406, 429])('after %i and a run nobody knows what was done', status => {
  expect(judge(status, null, true, true)).toBe('unknown')
  const refused = failed('OVERLOADED')
  expect(judge(200, refused, true, true)).toBe('unknown')
})

test.each([500, 503])('after %i nobody knows what was done', status => {
  expect(judge(status)).toBe('unknown')
})

test.each([
  ['NOT_FOUND', 'final'],
  ['CONFLICT', 'final'],
  ['OVERLOADED', 'undone'],
  ['INTERNAL', 'unknown'],
  ['UNAVAILABLE', 'unknown'],
])('a mutation that failed with %s is %s', (code, verdict) => {
  expect(judge(200, failed(code))).toBe(verdict)
  expect(judge(200, failed(code), true)).toBe(verdict)
})

test('an answer with a failure may be retried after changes, but not after a run', () => {
  const result = failed('OVERLOADED', { one: { id: '1' }, two: null })
  expect(judge(200, result)).toBe('undone')
  expect(judge(200, result, true)).toBe('final')
})

test('an answer that is null as a whole may hide a run, and is not retried', () => {
  const result = failed('OVERLOADED', null)
  expect(judge(200, result)).toBe('undone')
  expect(judge(200, result, true)).toBe('final')
})
