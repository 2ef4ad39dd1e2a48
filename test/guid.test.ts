import { expect, test } from 'vitest'
import { isGuid, newGuid } from '../src/guid.ts'

test('a new GUID begins with its time in ms, so that later ones are next to each other in an index', () => {
  const before = Date.now()
  const guids = Array.from({ length: 1_000 }, newGuid)
  const after = Date.now()
  for (const guid of guids) {
    const time = Number.parseInt(guid.replaceAll('-', '').slice(0, 12), 16)
    expect(time).toBeGreaterThanOrEqual(before)
    expect(time).toBeLessThanOrEqual(after)
  }
  expect(guids.filter(isGuid)).toHaveLength(1_000)
  expect(new Set(guids).size).toBe(1_000)
})

test.each(['', 'a', '1', '01a21530-b606-7388-bf75-5918aa7c9c6', 'x1a21530-b606-7388-bf75-5918aa7c9c6a'])(
  '%j is no GUID',
  text => expect(isGuid(text)).toBe(false),
)
