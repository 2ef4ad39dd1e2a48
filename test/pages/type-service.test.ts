import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TypeService } from '../../src/pages/playground/types/type-service.ts'

const question = { script: 'exit(1)', input: '' }

/** A worker that answers when a test says so. */
class SilentWorker {
  static readonly started: SilentWorker[] = []
  onmessage: ((event: { readonly data: object }) => void) | null = null
  isEnded = false

  constructor() {
    SilentWorker.started.push(this)
  }

  postMessage(): void {}

  terminate(): void {
    this.isEnded = true
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', {})
  vi.stubGlobal('Worker', SilentWorker)
  SilentWorker.started.length = 0
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a worker that is silent for a minute ends, and the next question starts another', async () => {
  const service = new TypeService()
  const failed = expect(service.ask('check', question)).rejects.toThrow('The types could not be loaded.')
  await vi.advanceTimersByTimeAsync(60_000)
  await failed
  const answered = service.ask('check', question)
  expect(SilentWorker.started.map(({ isEnded }) => isEnded)).toEqual([true, false])
  SilentWorker.started[1]?.onmessage?.({ data: { id: 2, answer: [] } })
  expect(await answered).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

test('a worker that answers one question has a minute for the next', async () => {
  const service = new TypeService()
  const first = service.ask('check', question)
  const second = service.ask('check', question)
  await vi.advanceTimersByTimeAsync(59_000)
  SilentWorker.started[0]?.onmessage?.({ data: { id: 1, answer: [] } })
  await first
  await vi.advanceTimersByTimeAsync(59_000)
  SilentWorker.started[0]?.onmessage?.({ data: { id: 2, answer: [] } })
  expect(await second).toEqual([])
})
