import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { endBefore } from '../../src/signals/end-before.ts'

const never = new Promise<string>(() => {})
const late = (ms: number) => ({ after: { ms, error: () => new Error('late') } })

test('a promise that resolves first is returned, and nothing of the wait stays', async () => {
  const { signal } = new AbortController()
  expect(await endBefore(Promise.resolve('done'), { signal, ...late(2 ** 30) })).toBe('done')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a wait ends with its time or with the reason of its signal, whichever comes first', async () => {
  await expect(endBefore(never, late(0))).rejects.toThrow('late')
  const client = new AbortController()
  const waiting = endBefore(never, { signal: client.signal, ...late(2 ** 30) })
  client.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await expect(endBefore(never, { signal: client.signal })).rejects.toThrow('gone')
})

test('a wait that ends takes its place back before others can fill it', async () => {
  const client = new AbortController()
  const queue: ((sandbox: string) => void)[] = []
  const { promise, resolve } = Promise.withResolvers<string>()
  queue.push(resolve)
  const onEnd = () => void queue.splice(0)
  const waiting = endBefore(promise, { signal: client.signal, onEnd })
  client.signal.addEventListener('abort', () => queue.shift()?.('lost'))
  client.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(await Promise.race([promise, 'never filled'])).toBe('never filled')
})

test('a promise that rejects after its wait has ended is no unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  for (const ending of [{ signal: AbortSignal.abort(new Error('gone')) }, late(0)]) {
    const { promise, reject } = Promise.withResolvers<never>()
    await expect(endBefore(promise, ending)).rejects.toThrow(/gone|late/)
    reject(new Error('too late'))
    await new Promise(resolve => setImmediate(resolve))
  }
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
