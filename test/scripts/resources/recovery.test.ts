import { afterEach, expect, test } from 'vitest'
import { Recovery } from '../../../src/scripts/resources/recovery.ts'
import { until } from '../../server/processes/until.ts'

const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0)) end()
})

// Reports memory of that many MiB, one after the other, and then the last.
function recover(...megabytes: number[]) {
  const reasons: string[] = []
  let checks = 0
  const recovery = new Recovery({
    onCheck: () => checks++,
    residentBytes: () => (megabytes[Math.min(checks, megabytes.length) - 1] ?? 0) * 2 ** 20,
    onLong: () => undefined,
    onFailure: reason => reasons.push(reason),
  })
  ends.push(() => recovery.stop())
  recovery.start(undefined)
  return { reasons, whenChecked: (count: number) => until(() => checks >= count) }
}

test('a process that takes more memory while it recovers still runs its script', async () => {
  const { reasons, whenChecked } = recover(100, 170)
  await whenChecked(3)
  expect(reasons[0]).toBe('used too much memory')
})

test('a process may hold all the memory of its run until it has recovered', async () => {
  const { reasons, whenChecked } = recover(400, 450, 80)
  await whenChecked(4)
  expect(reasons).toEqual([])
})
