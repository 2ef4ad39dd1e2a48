import { getEventListeners, once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
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

test('what arrived in time is read first by a process that is late for both', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const writing = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [reading] = await once(server, 'connection')
  const arrival = once(reading, 'data')
  // After an immediate, timers come before the reading.
  await new Promise(setImmediate)
  writing.write('in time')
  const waiting = endBefore(arrival, late(1))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  expect(String(await waiting)).toBe('in time')
  writing.destroy()
  server.close()
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
