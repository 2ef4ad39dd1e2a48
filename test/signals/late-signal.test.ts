import { expect, test } from 'vitest'
import { LateSignal } from '../../src/signals/late-signal.ts'

test('a signal that was asked for before the end is aborted by it', () => {
  const late = new LateSignal()
  const { signal } = late
  expect(signal.aborted).toBe(false)
  late.abort(new Error('over'))
  expect(signal.reason).toEqual(new Error('over'))
  expect(late.signal).toBe(signal)
})

test('a signal that was asked for after the end is aborted, with the first reason', () => {
  const late = new LateSignal()
  late.abort('first')
  late.abort('second')
  expect(late.signal.aborted).toBe(true)
  expect(late.signal.reason).toBe('first')
})
