import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonText } from '../../src/json/json-text.ts'
import { parseJson, parseText } from '../../src/json/parse-json.ts'
import { readStored } from '../../src/json/read-stored.ts'
import { captureLanguage } from '../../src/sandbox/realm/language.ts'
import { makeParseText } from '../../src/sandbox/realm/text/parse-text.ts'

const parseInSandbox = makeParseText(captureLanguage())
const place = { table: 'cases', column: 'data', id: 1 }
const parsers: Record<string, (text: string) => unknown> = {
  parseText,
  parseJson,
  readStored: text => readStored(text, place),
  'a JsonText': text => new JsonText(text).toJSON(),
  'the parser inside a sandbox': parseInSandbox,
}

let count = 0

// Names nobody used before: V8 misreads a key only after the keys that came before the key `\` in another object.
const newName = () => `field ${++count}`

describe.each(Object.entries(parsers))('%s', (_name, parse) => {
  test.each([
    ['\\', '\\u00e9', 'é'],
    ['\\', '\\n', '\n'],
    ['\\', '\\"', '"'],
    ['\\', '\\u0000', '\0'],
    ['\\', '\\ud800', '\ud800'],
    ['\\u0', '\\u0438\\u043c\\u044f', 'имя'],
    ['a\\\\', 'a\\\\b', 'a\\b'],
  ])('after an object with the key %j, reads the key "%s" as it is', (earlier, spelled, key) => {
    const name = newName()
    JSON.parse(JSON.stringify({ [name]: 1, [earlier]: 1 }))
    const value = parse(`{"${name}":1,"${spelled}" :{"c":"\\\\"}}`) as object
    expect(Object.keys(value)).toEqual([name, key])
  })
})

describe.each([
  ['parseText', parseText],
  ['the parser inside a sandbox', parseInSandbox],
])('%s', (_name, parse) => {
  test('gives what was written, whatever the keys and the texts', () => {
    const units = fc.constantFrom('q', '~', '0', '"', '\\', '\n', 'é', ':', '{', '\0', '\ud800')
    const spell = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: units }), fc.infiniteStream(fc.boolean()), (value, escapes) => {
        const text = JSON.stringify(value)
        // These three are nowhere but in strings.
        const spelled = text.replaceAll(/[q~é]/g, unit => (escapes.next().value ? spell(unit) : unit))
        expect(JSON.stringify(parse(spelled))).toBe(text)
      }),
    )
  })

  test.each([
    ['{"\\u0061":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['{"\\n":1,"b":2,"\\u000a":3}', '{"\\n":3,"b":2}'],
    ['{"b":1,"\\u0031":2,"1":3}', '{"1":3,"b":1}'],
    ['{"b":1,"1":2,"\\u0031":3}', '{"1":3,"b":1}'],
    ['{"b":"\\":","\\u005f_proto__":{"\\n":2}}', '{"b":"\\":","__proto__":{"\\n":2}}'],
    ['{"__proto__":{"\\n":2,"__proto__":[{"\\t":{}}]}}', '{"__proto__":{"\\n":2,"__proto__":[{"\\t":{}}]}}'],
    ['["\\n",{"a\\\\":{"\\"":["\\""]}}]', '["\\n",{"a\\\\":{"\\"":["\\""]}}]'],
    [' [ { "\\n" : [ 1 , { "\\n" :2} ] , "\\r\\n":null } ] ', '[{"\\n":[1,{"\\n":2}],"\\r\\n":null}]'],
    ['{"\\u007e0":3,"\\n":2}', '{"~0":3,"\\n":2}'],
    ['{"~0":1,"\\n":2,"~~1":"~~~","\\u007e0":3}', '{"~0":3,"\\n":2,"~~1":"~~~"}'],
    ['{"\\ud800":1,"\\ud83d\\ude00":2}', '{"\\ud800":1,"😀":2}'],
    ['{"":1,"\\\\":2,"\\\\\\\\":3}', '{"":1,"\\\\":2,"\\\\\\\\":3}'],
  ])('keeps the order of %s, and the last of equal keys', (text, written) => {
    expect(JSON.stringify(parse(text))).toBe(written)
  })

  test.each(['{"\\n":1', '{"\\x":1}', '\\"', '{"a" \\u0062":1}'])('refuses %s', text => {
    expect(() => parse(text)).toThrow(SyntaxError)
  })

  test('reads a value with an escaped key and more levels than the stack', () => {
    const levels = 50_000
    const value = parse(`{"\\n":1,"a":${'['.repeat(levels)}${']'.repeat(levels)}}`)
    expect(value).toMatchObject({ '\n': 1 })
  })
})

test('the parser inside a sandbox takes a text of many tildes for a text like others', () => {
  const members = Array.from({ length: 2_000 }, (_, n) => `{"a\\n":"${'~'.repeat(n % 100)}","\\u007e${n}":1}`)
  const text = `["${'~'.repeat(16_000)}",${members.join()}]`
  expect(parseInSandbox(text)).toEqual(parseText(text))
})

test('the parser inside a sandbox gives the right keys below more levels than the stack', () => {
  const levels = 50_000
  const name = newName()
  JSON.parse(JSON.stringify({ [name]: 1, '\\': 1 }))
  const text = `${`[{"${name}":1,"\\n":`.repeat(levels)}1${'}]'.repeat(levels)}`
  let value = parseInSandbox(text) as Record<string, unknown>[]
  for (let level = 1; level < levels; level++) value = value[0]?.['\n'] as Record<string, unknown>[]
  expect(value).toEqual([{ [name]: 1, '\n': 1 }])
})

test('parseJson finds inexact integers beside escaped keys', () => {
  const value = parseJson('{"\\n":9007199254740993,"\\u00e9":1}') as Record<string, unknown>
  expect(value['\n']).toMatchObject({ text: '9007199254740993' })
  expect(value.é).toBe(1)
})
