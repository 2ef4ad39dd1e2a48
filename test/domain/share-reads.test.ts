import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { shareReads } from '../../src/domain/events/share-reads.ts'

test('followers share a read until it is sent, and not after that', async () => {
  const turn = Promise.withResolvers<void>()
  const reads: PromiseWithResolvers<number>[] = []
  const read = shareReads(
    (_accountCode: string, _after: number) => {
      const result = Promise.withResolvers<number>()
      reads.push(result)
      return result.promise
    },
    () => turn.promise,
  )
  const early = [read('a', 1), read('a', 1)]
  await nextTurn()
  early.push(read('a', 1))
  turn.resolve()
  await expect.poll(() => reads.length).toBe(1)
  const late = read('a', 1)
  await expect.poll(() => reads.length).toBe(2)
  reads[0]?.resolve(1)
  reads[1]?.resolve(2)
  expect(await Promise.all([...early, late])).toEqual([1, 1, 1, 2])
})

test('a turn that is refused refuses the read, and the next one is sent', async () => {
  let isRefused = true
  const wait = async () => {
    if (isRefused) throw new Error('no turn')
  }
  const read = shareReads(async (_accountCode: string) => 'read', wait)
  await expect(read('a')).rejects.toThrow('no turn')
  isRefused = false
  expect(await read('a')).toBe('read')
})
