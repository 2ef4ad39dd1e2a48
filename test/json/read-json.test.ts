import { describe, expect, test } from 'vitest'
import { RostrumError } from '../../src/errors.ts'
import { parseJson } from '../../src/json/parse-json.ts'
import { type GivenJson, readJson } from '../../src/json/read-json.ts'

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
    ['{"a":[1,9007199254740992]}', '/data/a/1'],
    ['{"a":-9007199254740992}', '/data/a'],
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
    '9007199254740993.0',
    '[1.0e22]',
    '"9007199254740993"',
  ])('takes %s', text => expect(JSON.stringify(read(text))).toBe(JSON.stringify(JSON.parse(text))))

  test('counts levels: the value itself is level 1', () => {
    expect(pointerOf('{"a":{"b":{}}}', 3)).toBe(undefined)
    expect(pointerOf('{"a":{"b":[{}]}}', 3)).toBe('/data/a/b/0')
  })
})
