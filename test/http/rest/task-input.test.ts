import { expect, test } from 'vitest'
import { RostrumError } from '../../../src/errors.ts'
import { documentIn, parseTaskBody, readTaskBody } from '../../../src/http/body/content/task-body.ts'
import { parseFormBody } from '../../../src/http/body/form-body.ts'
import { parseJsonBody } from '../../../src/http/body/json-body.ts'

const texts = { name: 'a', sourceCode: 'exit(1)', inputDocument: '{"a":1}', options: '{}' }
const noMetadata = { caseTypeCode: null, accountNickname: null }

const read = (body: unknown) => readTaskBody(parseTaskBody(Buffer.from(JSON.stringify(body))))

function pointersOf(body: unknown): string[] {
  try {
    read(body)
    return []
  } catch (error) {
    if (!(error instanceof RostrumError)) throw error
    expect(error.code).toBe('BAD_USER_INPUT')
    return error.fields.map(({ pointer }) => pointer)
  }
}

test('texts pass word for word', () => {
  expect(read(texts)).toEqual({ ...texts, metadata: noMetadata })
  expect(read({ ...texts, inputDocument: 'not json' }).inputDocument).toBe('not json')
})

test.each([
  [{ a: [1] }, '{"a":[1]}'],
  [[1, 2], '[1,2]'],
  [7, '7'],
  [true, 'true'],
  [null, 'null'],
])('the JSON value %j may stand for its text', (value, text) => {
  expect(read({ ...texts, inputDocument: value }).inputDocument).toBe(text)
})

test('a key `__proto__` is refused in a value and passes in a text', () => {
  const inputDocument = '{"a":{"__proto__":1}}'
  const body = `{"name":"a","sourceCode":"","options":{},"inputDocument":${inputDocument}}`
  expect(() => parseTaskBody(Buffer.from(body))).toThrow('The body must have no key `__proto__`.')
  expect(read({ ...texts, inputDocument }).inputDocument).toBe(inputDocument)
})

test('options may be an object or text, and nothing else', () => {
  expect(read({ ...texts, options: { params: { a: 1 } } }).options).toBe('{"params":{"a":1}}')
  for (const options of [null, [], 7, true]) expect(pointersOf({ ...texts, options })).toEqual(['/options'])
})

test('metadata is an object or bracketed keys, in JSON and in forms', () => {
  const expected = { caseTypeCode: 'incident', accountNickname: 'acme' }
  const object = { case_type_code: 'incident', account_nickname: 'acme' }
  const bracketed = { 'metadata[case_type_code]': 'incident', 'metadata[account_nickname]': 'acme' }
  expect(read({ ...texts, metadata: object }).metadata).toEqual(expected)
  expect(read({ ...texts, ...bracketed }).metadata).toEqual(expected)
  const form = Buffer.from(new URLSearchParams({ ...texts, ...bracketed }).toString())
  expect(readTaskBody(parseFormBody(form))).toEqual({ ...texts, metadata: expected })
  expect(read({ ...texts, metadata: null }).metadata).toEqual(noMetadata)
  const text = parseFormBody(Buffer.from(new URLSearchParams({ ...texts, metadata: '{}' }).toString()))
  expect(() => readTaskBody(text)).toThrow('send its members as `metadata[case_type_code]`')
})

test('what is missing or of the wrong type is named by a pointer each', () => {
  expect(pointersOf({})).toEqual(['/name', '/sourceCode', '/inputDocument', '/options'])
  expect(pointersOf({ name: 1, sourceCode: {}, inputDocument: [], options: null })).toEqual([
    '/name',
    '/sourceCode',
    '/options',
  ])
  expect(pointersOf({ ...texts, metadata: { case_type_code: 5 } })).toEqual(['/metadata/case_type_code'])
  expect(pointersOf({ ...texts, 'metadata[account_nickname]': [] })).toEqual(['/metadata[account_nickname]'])
  expect(pointersOf({ ...texts, metadata: 'incident' })).toEqual(['/metadata'])
  expect(pointersOf([])).toEqual([''])
})

test('a document passes as it came, however many values it has, and a body has 10,000 besides', () => {
  const given =
    `{"name":"a","sourceCode":"", "inputDocument" : [${'{}, '.repeat(100_000)}1e400]` +
    ` ,"options":{"a": [${'1,'.repeat(50_000)}-0]}}`
  const { inputDocument, options } = readTaskBody(parseTaskBody(Buffer.from(given)))
  expect(inputDocument).toBe(`[${'{}, '.repeat(100_000)}1e400]`)
  expect(options).toBe(`{"a": [${'1,'.repeat(50_000)}-0]}`)
  const besides = (count: number) =>
    `{"name":"a","b":[${'1,'.repeat(count)}1],"inputDocument":[1,2],"options":{}}`
  expect(parseTaskBody(Buffer.from(besides(9_996)))).toHaveProperty('name', 'a')
  expect(() => parseTaskBody(Buffer.from(besides(9_997)))).toThrow('more than 10000 values')
})

test('only a document that is there as JSON was checked with its body', () => {
  const documentOf = (body: string) => documentIn(parseTaskBody(Buffer.from(body)))
  expect(documentOf('{"inputDocument":{"a":1}}')).toBe('{"a":1}')
  expect(documentOf('{"inputDocument":"{"}')).toBe(null)
  expect(documentOf('{"inputDocument":"{","input\\u0044ocument":1}')).toBe('1')
  expect(documentOf('{"inputDocument":1,"input\\u0044ocument":"{"}')).toBe(null)
  expect(documentOf('{}')).toBe(null)
  expect(documentIn(parseFormBody(Buffer.from('inputDocument=%7B')))).toBe(null)
  expect(documentIn(undefined)).toBe(null)
})

test('of members with one name the last counts, in any spelling', () => {
  const given =
    '{"name":"a","n\\u0061me":"b","sourceCode":"","options":{"a":1},"options":{},"inputDocument":1}'
  expect(readTaskBody(parseTaskBody(Buffer.from(given)))).toMatchObject({
    name: 'b',
    options: '{}',
    inputDocument: '1',
  })
})

test('a body has 10,000 values at most, counted before they are made', () => {
  const body = (count: number) => Buffer.from(`{"a":[${'{},'.repeat(count)}"${','.repeat(20_000)}"]}`)
  expect(parseJsonBody(body(9_997))).toHaveProperty('a')
  expect(() => parseJsonBody(body(9_998))).toThrow('more than 10000 values')
})

test('a form has each field once, on an object without prototype, and not too many', () => {
  const fields = parseFormBody(Buffer.from('name=a+b&sourceCode=exit%281%29&__proto__=x&constructor=y'))
  expect(Object.getPrototypeOf(fields)).toBeNull()
  expect(fields.name).toBe('a b')
  expect(() => parseFormBody(Buffer.from('name=a&name=b'))).toThrow('more than once')
  expect(() =>
    parseFormBody(Buffer.from(Array.from({ length: 101 }, (_, i) => `f${i}=1`).join('&'))),
  ).toThrow('101')
  expect(() => parseFormBody(Buffer.from([0x61, 0x3d, 0xff]))).toThrow('UTF-8')
})

test('a body is nested 2,000 deep at most, strings not counted, whatever escapes it holds', () => {
  const nest = (levels: number) =>
    `{"\\u005f":"${'['.repeat(5_000)}\\"[","a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  expect(parseJsonBody(Buffer.from(nest(1_999)))).toHaveProperty('a')
  for (const levels of [2_000, 900_000]) {
    expect(() => parseJsonBody(Buffer.from(nest(levels)))).toThrow('more than 2000 levels')
  }
})

test.each([
  '{"__proto__":1}',
  '{"a":[{"b":{"__proto__":null}}]}',
  '[[{"\\u005f_proto__":{}}]]',
  '{"\\u005F\\u005f\\u0070roto\\u005f_":1}',
])('a body with the key `__proto__` is refused: %s', body => {
  expect(() => parseJsonBody(Buffer.from(body))).toThrow('`__proto__`')
})
