import { expect, test } from 'vitest'
import { toTime } from '../../src/pages/runs/run-query.ts'

test.each([
  ['2026-11-30T10:00:00Z', '2026-11-30T10:00:00.000Z'],
  ['9999-12-29T00:00:00Z', '9999-12-29T00:00:00.000Z'],
  ['no time', ''],
  ['+010000-01-01T00:00:00Z', ''],
  ['+275760-09-13T00:00:00Z', ''],
  ['-271821-04-20T00:00:00Z', ''],
])('of the time %s in an address, the page takes “%s”', (text, time) => {
  expect(toTime(text)).toBe(time)
})
