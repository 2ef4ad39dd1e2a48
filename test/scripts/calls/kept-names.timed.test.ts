import { expect, test } from 'vitest'
import { nameCall } from '../../../src/scripts/calls/name-call.ts'
import { collectGarbage } from '../../../src/v8/collect-garbage.ts'

test('the name of a call does not keep its document in memory', () => {
  const nameOne = (_: unknown, n: number) => {
    const text = `{ teamMemberships(ids: [${n}]) { id } } #${'x'.repeat(2 ** 20)}`
    // As the query of a message from a sandbox.
    const [query = ''] = JSON.parse(JSON.stringify([text])) as string[]
    return nameCall({ query, url: null })
  }
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const names = Array.from({ length: 32 }, nameOne)
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 ** 24)
  expect(new Set(names)).toEqual(new Set(['teamMemberships']))
})
