import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { RostrumError } from '../../src/errors.ts'
import { readTaskInput } from '../../src/tasks/input/read-task-input.ts'
import type { TaskInput } from '../../src/tasks/run/task-execution.ts'
import { taskInput } from './start-tasks.ts'

const { runLimits } = readConfig({ ROSTRUM_TASK_SOURCE_BYTES: '100' })

function refusalOf(rest: Partial<TaskInput>): RostrumError {
  try {
    readTaskInput(taskInput('exit(1)', rest), runLimits)
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
    for (const field of ['inputDocument', 'options'] as const) {
      const { code, message, fields } = refusalOf({ [field]: text })
      const detail = `is not valid JSON at position ${position} (line ${line}, column ${column})`
      expect({ code, message, fields }).toEqual({
        code: 'BAD_USER_INPUT',
        message: `\`${field}\` ${detail}.`,
        fields: [{ pointer: `/${field}`, detail }],
      })
    }
  })

  test('for any invalid text', () => {
    expect(refusalOf({ inputDocument: 'at position 99' }).message).toContain('at position 0 ')
  })
})

describe('text of many levels', () => {
  const levels = (count: number) => `{"a":${'['.repeat(count - 1)}${']'.repeat(count - 1)}}`

  test.each(['inputDocument', 'options'] as const)('is refused in %s before it is parsed', field => {
    const { code, fields } = refusalOf({ [field]: levels(100_001) })
    expect(code).toBe('BAD_USER_INPUT')
    expect(fields).toEqual([{ pointer: `/${field}`, detail: 'is nested too deeply' }])
  })

  test('is accepted up to 100,000 levels, and brackets in strings do not count', () => {
    for (const inputDocument of [levels(100_000), `["\\\\\\"${'['.repeat(200_000)}"]`]) {
      expect(readTaskInput(taskInput('exit(1)', { inputDocument }), runLimits).payload).toBe(inputDocument)
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
    ['/metadata/caseTypeCode', { metadata: { caseTypeCode: long, accountNickname: null } }],
    ['/metadata/accountNickname', { metadata: { caseTypeCode: null, accountNickname: long } }],
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
      expect(readTaskInput(taskInput(source), runLimits).source).toBe(source)
    }
  })
})

test('valid input is passed on unchanged', () => {
  const input = taskInput('exit(1)', {
    name: 'recalculate',
    inputDocument: ' {"a" : [1, 2]} ',
    options: '{"params":{"p":1}}',
    metadata: { caseTypeCode: 'incident', accountNickname: 'nick' },
  })
  expect(readTaskInput(input, runLimits)).toEqual({
    name: 'recalculate',
    source: 'exit(1)',
    payload: ' {"a" : [1, 2]} ',
    options: { text: '{"params":{"p":1}}', isEmpty: false, members: new Map([['params', '{"p":1}']]) },
    caseTypeCode: 'incident',
  })
})

test.each([
  'null',
  '0',
  '"text"',
  '[]',
  '{"__proto__":{"x":1}}',
])('%s is an input document', inputDocument => {
  expect(readTaskInput(taskInput('exit(1)', { inputDocument }), runLimits).payload).toBe(inputDocument)
  expect(Reflect.get({}, 'x')).toBe(undefined)
})
