import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import type { Script } from '../../../src/domain/scripts/script.ts'
import { RostrumError } from '../../../src/errors.ts'
import { readScript } from '../../../src/scripts/input/read-script.ts'
import { scriptOf } from '../run/start-tasks.ts'

const { runLimits } = readConfig({ ROSTRUM_TASK_SOURCE_BYTES: '100' })

// What messages call each of the two, and its member of the script.
const documents = [
  ['inputDocument', 'payload'],
  ['options', 'options'],
] as const

function refusalOf(rest: Partial<Script>): RostrumError {
  try {
    readScript(scriptOf('exit(1)', rest), runLimits)
  } catch (error) {
    if (error instanceof RostrumError) return error
    throw error
  }
  throw new Error('It was taken')
}

describe('text that is not JSON is refused with its position', () => {
  // The text, the position counted from 0, line and column counted from 1.
  const broken: [text: string, position: number, line: number, column: number][] = [
    ['', 0, 1, 1],
    [' ', 1, 1, 2],
    ['{', 1, 1, 2],
    ['[[[[[', 5, 1, 6],
    ['{"a":1', 6, 1, 7],
    ['[1,]', 3, 1, 4],
    ['{"a":1,}', 7, 1, 8],
    ['{"a" 1}', 5, 1, 6],
    ['{a:1}', 1, 1, 2],
    ['[1 2]', 3, 1, 4],
    ['abc', 0, 1, 1],
    [`[${','.repeat(99)}`, 1, 1, 2],
    ["'a'", 0, 1, 1],
    ['"abc', 4, 1, 5],
    ['"a\tb"', 2, 1, 3],
    ['"\\x"', 2, 1, 3],
    ['"\\u12"', 5, 1, 6],
    ['01', 1, 1, 2],
    ['1.', 2, 1, 3],
    ['+1', 0, 1, 1],
    ['1e', 2, 1, 3],
    ['NaN', 0, 1, 1],
    ['{}{}', 2, 1, 3],
    ['true false', 5, 1, 6],
    ['// c\n{}', 0, 1, 1],
    ['{}\n/* c */', 3, 2, 1],
    ['{"a":1}\n\n  x', 11, 3, 3],
    ['{\n  "a": [\n    1,\n    ?\n  ]\n}', 22, 4, 5],
    ['\uFEFF{}', 0, 1, 1],
    ['\u00a0{}', 0, 1, 1],
    [`{"a":"${'y'.repeat(500)}" "b"}`, 508, 1, 509],
  ]

  test.each(broken)('%j', (text, position, line, column) => {
    for (const [field, member] of documents) {
      const { code, message, fields } = refusalOf({ [member]: text })
      const detail = `is not valid JSON at position ${position} (line ${line}, column ${column})`
      expect({ code, message, fields }).toEqual({
        code: 'BAD_USER_INPUT',
        message: `\`${field}\` ${detail}.`,
        fields: [{ pointer: `/${field}`, detail }],
      })
    }
  })

  test('for any invalid text', () => {
    expect(refusalOf({ payload: 'at position 99' }).message).toContain('at position 0 ')
  })
})

describe('text of many levels', () => {
  const levels = (count: number) => `{"a":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`

  test.each(documents)('is refused in %s before it is parsed', (field, member) => {
    const { code, fields } = refusalOf({ [member]: levels(100_001) })
    expect(code).toBe('BAD_USER_INPUT')
    expect(fields).toEqual([{ pointer: `/${field}`, detail: 'is nested too deeply' }])
  })

  test('is accepted up to 100,000 levels, and brackets in strings do not count', () => {
    for (const payload of [levels(100_000), `["\\\\\\"${'['.repeat(200_000)}"]`]) {
      expect(readScript(scriptOf('exit(1)', { payload }), runLimits).payload).toBe(payload)
    }
  })
})

describe('options are a JSON object', () => {
  test.each(['null', '1', '"text"', 'true', '[]', '[{}]'])('and not %s', options => {
    const { code, fields } = refusalOf({ options })
    expect(code).toBe('BAD_USER_INPUT')
    expect(fields).toEqual([{ pointer: '/options', detail: 'must be a JSON object' }])
  })
})

describe('a label', () => {
  test.each(['', ' ', '\n\t'])('without text (%j) is not a name', name => {
    expect(refusalOf({ name }).fields).toEqual([{ pointer: '/name', detail: 'must not be empty' }])
  })

  const long = 'x'.repeat(201)
  test.each([
    ['/name', { name: long }],
    ['/metadata/caseTypeCode', { caseTypeCode: long }],
    ['/metadata/accountNickname', { accountNickname: long }],
  ])('past 200 characters is refused at %s', (pointer, rest) => {
    expect(refusalOf(rest).fields).toEqual([{ pointer, detail: 'must have at most 200 characters' }])
  })
})

describe('source code', () => {
  test('past its limit in bytes is too large', () => {
    expect(refusalOf({ sourceCode: 'x'.repeat(101) })).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: '`sourceCode` has 101 bytes; at most 100 are allowed.',
    })
    expect(refusalOf({ sourceCode: '€'.repeat(34) }).code).toBe('PAYLOAD_TOO_LARGE')
  })

  test('of exactly the limit and empty source are accepted', () => {
    for (const source of ['x'.repeat(100), '€'.repeat(33), '']) {
      expect(readScript(scriptOf(source), runLimits).sourceCode).toBe(source)
    }
  })
})

test('valid input is passed on unchanged', () => {
  const script = scriptOf('exit(1)', {
    name: 'recalculate',
    payload: ' {"a" : [1, 2]} ',
    options: '{"params":{"p":1}}',
    caseTypeCode: 'incident',
    accountNickname: 'nick',
  })
  expect(readScript(script, runLimits)).toEqual({
    ...script,
    options: { text: '{"params":{"p":1}}', isEmpty: false, members: new Map([['params', '{"p":1}']]) },
  })
})

test('the document that is known to be JSON is not scanned, and every other one is', () => {
  // A scan would refuse this text.
  const script = scriptOf('exit(1)', { payload: '{"a"' })
  expect(readScript(script, runLimits, '{"a"').payload).toBe('{"a"')
  expect(() => readScript(script, runLimits, '{"b"')).toThrow('not valid JSON')
})

test.each(['null', '0', '"text"', '[]', '{"__proto__":{"x":1}}'])('%s is an input document', payload => {
  expect(readScript(scriptOf('exit(1)', { payload }), runLimits).payload).toBe(payload)
  expect(Reflect.get({}, 'x')).toBe(undefined)
})
