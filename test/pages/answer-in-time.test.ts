import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerInTime } from '../../src/pages/gateway/answer-in-time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  { isChange: false, waitMs: 30_000, advice: 'Try again.' },
  { isChange: true, waitMs: 60_000, advice: 'It may be done by now. Look, or try again.' },
])('a request without an answer fails in time, and only a read ends (change: $isChange)', async request => {
  const { isChange, waitMs, advice } = request
  const sent: AbortSignal[] = []
  const answer = answerInTime({ isChange }, signal => {
    sent.push(signal)
    return new Promise(() => {})
  })
  const failed = expect(answer).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: `The gateway does not answer. ${advice}`,
  })
  await vi.advanceTimersByTimeAsync(waitMs)
  await failed
  expect(sent.map(({ aborted }) => aborted)).toEqual([!isChange])
})

test('an answer that comes in time is returned, and no timer stays', async () => {
  expect(await answerInTime({ isChange: false }, async () => 1)).toBe(1)
  expect(vi.getTimerCount()).toBe(0)
})
