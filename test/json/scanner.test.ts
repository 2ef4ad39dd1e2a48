import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stateOf, transitions } from '../../src/json/grammar.ts'
import { JsonScanner } from '../../src/json/scanner.ts'

function isJson(text: string, pieceBytes = 7): boolean {
  const scanner = new JsonScanner()
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (!scanner.write(bytes.subarray(at, at + pieceBytes))) return false
  }
  return scanner.end()
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the scanner agrees with `JSON.parse`', () => {
  test.each([
    '',
    ' ',
    'null',
    'nul',
    'nulll',
    'NaN',
    'Infinity',
    '-Infinity',
    'undefined',
    'true',
    'True',
    'tru',
    't',
    'f',
    'falsefalse',
    '0',
    '-0',
    '-',
    '+1',
    '01',
    '-01',
    '1.',
    '.1',
    '1.5',
    '1e',
    '1e+',
    '1e+5',
    '1E-5',
    '1e5.5',
    '0x1',
    '1_0',
    '1n',
    '00',
    '0e0',
    '1e05',
    '--1',
    '[]',
    '[',
    ']',
    '[,]',
    '[1,]',
    '[1 2]',
    '[1]]',
    '[}',
    '{]',
    '{}',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{"a":1 "b":2}',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '{1:1}',
    '{,}',
    '{"a"::1}',
    '{"a":1:2}',
    '["a":1]',
    '{"a","b"}',
    '"',
    '"a',
    '"a"b',
    '"\\"',
    '"\\\\"',
    '"\\u12"',
    '"\\u12G4"',
    '"\\u12f4"',
    '"\\uD800"',
    '"\\x41"',
    '"\n"',
    '"\t"',
    '"\u0000"',
    '"\u007f"',
    '"\u2028"',
    '\ufeff{}',
    '\u00a0{}',
    '{}\u0000',
    '{} {}',
    '{}//x',
    '/**/{}',
    '[1,2,3]\n',
    '\r\n\t {} \t',
    '\v{}',
    '\f{}',
    '{"a":[{"b":[{}]}]}',
  ])('%j', text => {
    for (const piece of [1, 2, 1_000]) expect(isJson(text, piece)).toBe(isParsed(text))
  })

  test('for any JSON, also with one character changed, removed or inserted', () => {
    const marks = fc.constantFrom(...'[]{}",:\\/ue+-.019tfn \n\u0000é')
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom(0, 1), marks, (json, seed, removed, mark) => {
        const at = seed % (json.length + 1)
        expect(isJson(json)).toBe(true)
        const changed = json.slice(0, at) + mark + json.slice(at + removed)
        expect(isJson(changed)).toBe(isParsed(changed))
        const shorter = json.slice(0, at) + json.slice(at + 1)
        expect(isJson(shorter)).toBe(isParsed(shorter))
      }),
      { numRuns: 3_000 },
    )
  })

  test('for any string of the characters of JSON', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'[]{}",:\\ue-.01tn '), maxLength: 12 })
    fc.assert(
      fc.property(noise, text => isJson(text, 3) === isParsed(text)),
      { numRuns: 20_000 },
    )
  })
})

test('10,000 levels are accepted and one more is refused, in linear time', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(isJson(nested(10_000))).toBe(true)
  expect(isJson(nested(10_001))).toBe(false)
  expect(isJson('{"a":'.repeat(10_001), 2 ** 16)).toBe(false)
})

test('the byte 0 keeps no state, which ends the scan of each piece', () => {
  for (const state of Object.values(stateOf)) expect(transitions[state << 8]).not.toBe(state)
})
