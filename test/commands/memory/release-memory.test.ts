import { setTimeout as sleep } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { releaseMemory } from '../../../src/http/graphql/when-quiet.ts'

test('releaseMemory collects unreachable objects and leaves no `gc` function', async () => {
  const held = new WeakRef({})
  await sleep(0)
  releaseMemory()
  expect(held.deref()).toBeUndefined()
  expect(runInNewContext('typeof gc')).toBe('undefined')
})
