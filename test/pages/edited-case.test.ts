import { expect, test } from 'vitest'
import { printData, rebaseEdits } from '../../src/pages/cases/edited-case.ts'

const before = { total: 1, state: 'open', lines: [{ price: 2 }] }
const rebase = (after: Record<string, unknown>, text: string) => rebaseEdits({ before, after, text })

test('edits stay as they were typed if nothing is stored that they did not begin with', () => {
  for (const text of ['{"total":  2}', '{"total": ', ''])
    expect(rebase({ lines: [{ price: 2 }], state: 'open', total: 1 }, text)).toBe(text)
})

test('stored changes of fields that the edits leave alone are taken over', () => {
  const edited = JSON.stringify({ ...before, total: 5, owner: 'ann' })
  const { lines: _removed, ...after } = { ...before, state: 'closed', level: 4 }
  expect(rebase(after, edited)).toBe(printData({ total: 5, state: 'closed', owner: 'ann', level: 4 }))
})

test('a field that both changed to the same value is no conflict, and one with two values is', () => {
  const edited = JSON.stringify({ ...before, lines: [{ price: 3 }] })
  expect(rebase({ ...before, lines: [{ price: 3 }] }, edited)).toBe(
    printData({ ...before, lines: [{ price: 3 }] }),
  )
  expect(rebase({ ...before, lines: [{ price: 4 }] }, edited)).toBe(null)
  expect(rebase({ total: 1, state: 'open' }, edited)).toBe(null)
})

test('edits that cannot be read are left alone, and names that every object has are fields as others', () => {
  expect(rebase({ ...before, total: 2 }, '{"state": ')).toBe(null)
  expect(rebase({ ...before, total: 2 }, `{"state": 9007199254740993}`)).toBe(null)
  expect(rebase({ ...before, constructor: 1 }, JSON.stringify(before))).toBe(
    printData({ ...before, constructor: 1 }),
  )
})
