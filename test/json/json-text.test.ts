import { expect, test } from 'vitest'
import { fillTemplate, JsonText, writeJson, writeTemplate } from '../../src/json/json-text.ts'

test('a text is inserted unchanged, any number of times and at any depth', () => {
  const result = new JsonText('{"a": [1e400, 2]}')
  const value = { z: result, list: [result, { b: new JsonText('"c"') }], plain: 'text', none: null }
  expect(writeJson(value)).toBe(
    '{"z":{"a": [1e400, 2]},"list":[{"a": [1e400, 2]},{"b":"c"}],"plain":"text","none":null}',
  )
})

test('placeholders are replaced in a template that was parsed and serialized again', () => {
  const holed = writeTemplate({ a: new JsonText('1'), b: [new JsonText('$&')] })
  const text = JSON.stringify({ data: JSON.parse(holed.text) })
  expect(fillTemplate({ text, insertions: holed.insertions })).toBe('{"data":{"a":1,"b":[$&]}}')
})

test('`JSON.stringify` elsewhere writes the value', () => {
  expect(JSON.stringify({ a: new JsonText(' {"b" : 1} ') })).toBe('{"a":{"b":1}}')
})

test('a value that cannot be serialized does not affect the next one', () => {
  expect(() => writeJson({ a: new JsonText('1'), b: 1n })).toThrow(TypeError)
  expect(JSON.stringify([new JsonText('2')])).toBe('[2]')
})
