import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { retry } from '../../../src/store/postgres/runner.ts'

test('work that waits too long for a lock again and again ends before its call is given up, after 5 s', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const lockTimeout = Object.assign(new pg.DatabaseError('', 0, 'error'), { code: '55P03' })
  let waits = 0
  const wait = async () => {
    waits += 1
    vi.advanceTimersByTime(600)
    throw lockTimeout
  }
  await expect(retry(wait)).rejects.toBe(lockTimeout)
  expect(waits).toBe(6)
})
