import { setTimeout as sleep } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { collectGarbage } from '../../../src/v8/collect-garbage.ts'

test('collectGarbage collects unreachable objects and leaves no `gc` function', async () => {
  const held = new WeakRef({})
  await sleep(0)
  collectGarbage()
  expect(held.deref()).toBeUndefined()
  expect(runInNewContext('typeof gc')).toBe('undefined')
})
