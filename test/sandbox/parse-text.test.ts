import fc from 'fast-check'
import { expect, test } from 'vitest'
import { captureLanguage } from '../../src/sandbox/realm/language.ts'
import { makeParseText } from '../../src/sandbox/realm/text/parse-text.ts'

const parseText = makeParseText(captureLanguage())

test.each([
  ['{"\\u0061":1,"b":2,"a":3}', '{"a":3,"b":2}'],
  ['{"\\n":1,"b":2,"\\u000a":3}', '{"\\n":3,"b":2}'],
  ['{"b":1,"\\u0031":2,"1":3}', '{"1":3,"b":1}'],
  ['{"b":1,"1":2,"\\u0031":3}', '{"1":3,"b":1}'],
  ['{"b":"\\":","\\u005f_proto__":{"\\n":2}}', '{"b":"\\":","__proto__":{"\\n":2}}'],
  ['{"__proto__":{"\\n":2,"__proto__":[{"\\t":{}}]}}', '{"__proto__":{"\\n":2,"__proto__":[{"\\t":{}}]}}'],
  ['["\\n",{"a\\\\":{"\\"":["\\""]}}]', '["\\n",{"a\\\\":{"\\"":["\\""]}}]'],
  [' [ { "\\n" : [ 1 , { "\\n" :2} ] , "\\r\\n":null } ] ', '[{"\\n":[1,{"\\n":2}],"\\r\\n":null}]'],
  ['{"~0":1,"\\n":2,"~~1":"~~~","\\u007e0":3}', '{"~0":3,"\\n":2,"~~1":"~~~"}'],
  ['{"\\ud800":1,"\\ud83d\\ude00":2}', '{"\\ud800":1,"😀":2}'],
  ['{"":1,"\\\\":2,"\\\\\\\\":3}', '{"":1,"\\\\":2,"\\\\\\\\":3}'],
])('of %s, all keys are right, in their order, with the last of equal ones', (text, written) => {
  expect(JSON.stringify(parseText(text))).toBe(written)
})

test('all values are read as they were written', () => {
  const units = fc.constantFrom('a', '~', '0', '"', '\\', '\n', 'é', ':', '{', '\0', '\ud800')
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: units }), value => {
      const text = JSON.stringify(value)
      expect(JSON.stringify(parseText(text))).toBe(text)
    }),
  )
})

test('a value with more levels than the stack has the right keys', () => {
  const levels = 50_000
  const text = `${'[{"\\n":'.repeat(levels)}1${'}]'.repeat(levels)}`
  let value = parseText(text) as Record<string, unknown>[]
  for (let level = 1; level < levels; level++) value = value[0]?.['\n'] as Record<string, unknown>[]
  expect(value).toEqual([{ '\n': 1 }])
})
