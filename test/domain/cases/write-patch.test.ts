import fc from 'fast-check'
import jsonPatch from 'fast-json-patch'
import { describe, expect, test } from 'vitest'
import { compareFields } from '../../../src/domain/case-data/changed-fields.ts'
import { writePatch } from '../../../src/domain/case-data/write-patch.ts'
import type { JsonObject } from '../../../src/json/read-json.ts'

const patchOf = (before: JsonObject, after: JsonObject) =>
  writePatch(compareFields(after, before), JSON.stringify(after))

const key = fc.constantFrom('a', 'b', '', 'a/b', 'm~n', '"', 'constructor', '0')
const { data } = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1, 'x', 'é"\\'),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('data'),
  ),
  data: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
}))
const document = data as fc.Arbitrary<JsonObject>
const copy = (value: JsonObject) => JSON.parse(JSON.stringify(value))
const numbers = (count: number, from: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index + from]))

describe('writePatch', () => {
  test('makes the data before into the data after', () => {
    const check = (before: JsonObject, after: JsonObject) => {
      const patch = JSON.parse(patchOf(before, after))
      expect(jsonPatch.applyPatch(copy(before), patch, true).newDocument).toEqual(copy(after))
    }
    fc.assert(fc.property(document, document, check), { numRuns: 2_000 })
  })

  test('describes parts of fields where that is shorter', () => {
    const [long, list] = ['x'.repeat(200), [1, 2, 3]]
    const patch = patchOf({ a: { long, b: 1, c: 2, list } }, { a: { long, b: 2, list: [1, 5] } })
    expect(JSON.parse(patch)).toEqual([
      { op: 'replace', path: '/a/b', value: 2 },
      { op: 'remove', path: '/a/c' },
      { op: 'replace', path: '/a/list/1', value: 5 },
      { op: 'remove', path: '/a/list/2' },
    ])
  })

  test('that grows longer than the data is one `replace`', () => {
    const [before, after] = [numbers(1_000, 0), numbers(1_000, 1)]
    const whole = JSON.stringify([{ op: 'replace', path: '', value: after }])
    expect(patchOf(before, after)).toBe(whole)
    expect(patchOf({ a: before }, { a: after })).toBe(whole.replace('""', '"/a"'))
    expect(JSON.parse(patchOf(numbers(10, 0), numbers(10, 1)))).toHaveLength(10)
    expect(JSON.parse(patchOf(before, { ...before, f1: 'x', f999: 'y' }))).toHaveLength(2)
  })
})
