import { setTimeout as sleep } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { giveMemoryBack } from '../../src/commands/give-memory-back.ts'

test('giving memory back collects what nobody holds, and leaves no way to do so behind', async () => {
  const held = new WeakRef({})
  await sleep(0)
  giveMemoryBack()
  expect(held.deref()).toBeUndefined()
  expect(runInNewContext('typeof gc')).toBe('undefined')
})
