import { describe, expect, test } from 'vitest'
import { RostrumError } from '../../src/errors.ts'
import { parseJson } from '../../src/json/parse-json.ts'
import { findProtoKeys, type GivenJson, readJson } from '../../src/json/read-json.ts'

const read = (text: string, maxLevels?: number) =>
  readJson(parseJson(text) as GivenJson, {
    pointer: '/data',
    ...(maxLevels === undefined ? {} : { maxLevels }),
  })

function pointerOf(text: string, maxLevels?: number): string | undefined {
  try {
    read(text, maxLevels)
  } catch (error) {
    if (error instanceof RostrumError) return error.fields[0]?.pointer
    throw error
  }
}

describe('readJson', () => {
  test('gives the same value in objects without prototype', () => {
    const text = '{"constructor":1,"toString":{"a":[{"b":"\\ud800\\u0000"}]},"c":1e300,"d":-0.5,"e":null}'
    const value = read(text) as Record<string, object>
    expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(text))
    expect(Object.getPrototypeOf(value)).toBe(null)
    expect(Object.getPrototypeOf(value.toString)).toBe(null)
  })

  test.each([
    ['{"a":{"__proto__":1}}', '/data/a/__proto__'],
    ['{"a":[{"\\u005f_proto__":"x"}]}', '/data/a/0/__proto__'],
    ['{"a":[1,9007199254740993]}', '/data/a/1'],
    ['{"a":-9007199254740993}', '/data/a'],
    ['{"a":"9007199254740993\\"","b":9007199254740993.00}', '/data/b'],
    ['{"a\\\\":9.007199254740993e15}', '/data/a\\'],
    ['[1,2,90071992547.40993E+5]', '/data/2'],
    ['[0.0000009007199254740993e22]', '/data/0'],
    ['[90071992547409930e-1]', '/data/0'],
    ['[12345678901234567890123e+285]', '/data/0'],
    ['{"a":{"9007199254740993":[9007199254740993]}}', '/data/a/9007199254740993/0'],
    ['{"a/b":{"c~d":123456789012345678901234567890}}', '/data/a~1b/c~0d'],
    ['{"a":1e400}', '/data/a'],
    ['-1e400', '/data'],
    ['9007199254740993', '/data'],
  ])('refuses %s with the pointer %s', (text, pointer) => {
    expect(pointerOf(text)).toBe(pointer)
  })

  test.each([
    '9007199254740991',
    '-9007199254740991',
    '1e300',
    '9007199254740992',
    '1e16',
    '100000000000000000000',
    '-10000000000000000.00',
    '1.7976931348623157e+308',
    '9007199254740993.5',
    '0.30000000000000004',
    '[1.0e22]',
    '"9007199254740993"',
    '["9.007199254740993e15","\\\\",1234567890123456]',
    '[0e999999999999,0.0e-99999999999999999999,1e-400]',
  ])('takes %s', text => expect(JSON.stringify(read(text))).toBe(JSON.stringify(JSON.parse(text))))

  test('counts levels: the value itself is level 1', () => {
    expect(pointerOf('{"a":{"b":{}}}', 3)).toBe(undefined)
    expect(pointerOf('{"a":{"b":[{}]}}', 3)).toBe('/data/a/b/0')
  })

  test('takes 1,000 levels by default, and refuses any number beyond', () => {
    const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(pointerOf(nest(1_000))).toBe(undefined)
    for (const levels of [1_001, 100_000]) expect(pointerOf(nest(levels))).toBe(`/data${'/0'.repeat(1_000)}`)
  })
})

describe('findProtoKeys', () => {
  test('gives the first ten keys in the order of the text', () => {
    const text = `{"a/b":[1,{"__proto__":{"__proto__":2}}],"c":[${'{"__proto__":1},'.repeat(20)}[]]}`
    const expected = ['/a~1b/1/__proto__', '/a~1b/1/__proto__/__proto__']
    for (let index = 0; index < 8; index++) expected.push(`/c/${index}/__proto__`)
    expect(findProtoKeys(JSON.parse(text))).toEqual(expected)
    expect(findProtoKeys('__proto__')).toEqual([])
  })

  test('cuts long names, which each pointer would repeat', () => {
    const name = 'k'.repeat(1_000)
    expect(findProtoKeys(JSON.parse(`{"${name}":{"__proto__":1}}`))).toEqual([
      `/${'k'.repeat(100)}…/__proto__`,
    ])
  })

  test('goes down as many levels as a body may have', () => {
    const text = `${'[{"a":'.repeat(1_000)}{"__proto__":1}${'}]'.repeat(1_000)}`
    expect(findProtoKeys(JSON.parse(text))).toEqual([`${'/0/a'.repeat(1_000)}/__proto__`])
  })
})
