import { beforeAll, describe, expect, test } from 'vitest'
import type { ExecutionBody, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const path = '/api/1/endpoint/execute'
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const task = {
  name: 'recalculate',
  sourceCode: 'exit([payload, options.params, requestContext().txnSource])',
  inputDocument: '{"total":6}',
  options: '{"params":{"p":"v"}}',
}
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const run = (body: unknown, headers: Record<string, string> = {}) =>
  server.rest<ExecutionBody<unknown[]>>('POST', path, { body, headers })
const refuse = (body: unknown, headers: Record<string, string> = {}) =>
  server.rest<ProblemBody>('POST', path, { body, headers })

describe('a JSON body', () => {
  test('with the four texts runs the script', async () => {
    const answer = await run(task)
    expect(answer.status).toBe(200)
    expect(answer.body.task_execution.payload.slice(0, 2)).toEqual([{ total: 6 }, { p: 'v' }])
  })

  test.each([
    ['an object', { inputDocument: { a: [1] } }, { a: [1] }],
    ['a list', { inputDocument: [1, 2] }, [1, 2]],
    ['a number', { inputDocument: 5 }, 5],
    ['true', { inputDocument: true }, true],
    ['text of a string', { inputDocument: '"text"' }, 'text'],
    ['text of null', { inputDocument: 'null' }, null],
    ['text with spaces', { inputDocument: ' \n {"a": 1} ' }, { a: 1 }],
  ])('takes an inputDocument that is %s', async (_, given, seen) => {
    expect((await run({ ...task, ...given })).body.task_execution.payload[0]).toEqual(seen)
  })

  test('takes options as an object', async () => {
    const answer = await run({ ...task, options: { params: { deep: [null, { x: 1 }] } } })
    expect(answer.body.task_execution.payload[1]).toEqual({ deep: [null, { x: 1 }] })
  })

  test('ignores unknown fields', async () => {
    expect((await run({ ...task, more: 1, trigger: 'webhook' })).status).toBe(200)
  })
})

describe('metadata', () => {
  const source = async (body: unknown, headers = {}) =>
    (await run(body, headers)).body.task_execution.request_context.txnSource.split('|').slice(0, 2)

  test.each([
    ['an object', { metadata: { case_type_code: 'incident' } }],
    ['a bracketed key', { 'metadata[case_type_code]': 'incident' }],
    ['an object with both', { metadata: { case_type_code: 'incident', account_nickname: 'x' } }],
  ])('given as %s names the case type', async (_, metadata) => {
    expect(await source({ ...task, ...metadata })).toEqual(['endpoint', 'incident/recalculate'])
  })

  test('that is missing leaves a dash', async () => {
    expect(await source(task)).toEqual(['endpoint', '-/recalculate'])
    expect(await source({ ...task, metadata: {} })).toEqual(['endpoint', '-/recalculate'])
  })

  test('of a form names the case type', async () => {
    const body = new URLSearchParams({ ...task, 'metadata[case_type_code]': 'incident' })
    expect(await source(body.toString(), form)).toEqual(['endpoint', 'incident/recalculate'])
  })
})

describe('a form body', () => {
  test('runs the script', async () => {
    const answer = await run(new URLSearchParams(task).toString(), form)
    expect(answer.status).toBe(200)
    expect(answer.body.task_execution.payload.slice(0, 2)).toEqual([{ total: 6 }, { p: 'v' }])
  })

  test('keeps plus signs, ampersands and UTF-8 as the form encoding means them', async () => {
    const body = new URLSearchParams({ ...task, sourceCode: 'exit(["1 + 1 & 2 = ✓", payload])' })
    const answer = await run(body.toString(), { 'content-type': `${form['content-type']}; charset=utf-8` })
    expect(answer.body.task_execution.payload[0]).toBe('1 + 1 & 2 = ✓')
  })

  test('that lacks a field is a 400 that points to it', async () => {
    const answer = await refuse('name=a&sourceCode=exit(1)&options=%7B%7D', form)
    expect(answer.status).toBe(400)
    expect(answer.body.errors?.map(error => error.pointer)).toEqual(['/inputDocument'])
  })
})

describe('refusals', () => {
  test.each(['name', 'sourceCode', 'inputDocument', 'options'])(
    'without %s is a 400 that points to it',
    async field => {
      const answer = await refuse(Object.fromEntries(Object.entries(task).filter(([name]) => name !== field)))
      expect(answer.status).toBe(400)
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
      expect(answer.body.code).toBe('BAD_USER_INPUT')
      expect(answer.body.errors?.map(error => error.pointer)).toEqual([`/${field}`])
    },
  )

  test.each([
    ['a number as name', { name: 5 }, '/name'],
    ['an object as sourceCode', { sourceCode: {} }, '/sourceCode'],
    ['a list as options', { options: [] }, '/options'],
    ['text of a list as options', { options: '[]' }, '/options'],
    ['text of null as options', { options: 'null' }, '/options'],
    ['text of a number as options', { options: '5' }, '/options'],
    ['a number as metadata', { metadata: 5 }, '/metadata'],
    ['a number as case type', { metadata: { case_type_code: 5 } }, '/metadata/case_type_code'],
  ])('%s is a 400 that points to it', async (_, given, pointer) => {
    const answer = await refuse({ ...task, ...given })
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('BAD_USER_INPUT')
    expect(answer.body.errors?.map(error => error.pointer)).toEqual([pointer])
  })

  test.each([
    ['inputDocument', '{"a":1,}'],
    ['inputDocument', ''],
    ['inputDocument', 'hello'],
    ['options', '{"a"'],
    ['options', "{'a':1}"],
  ])('%s that is not JSON (%j) is a 400 with the position', async (field, text) => {
    const answer = await refuse({ ...task, [field]: text })
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('BAD_USER_INPUT')
    expect(answer.body.errors?.[0]?.pointer).toBe(`/${field}`)
    expect(JSON.stringify(answer.body)).toMatch(/(position|column|line|offset|character) \d+|end/i)
  })

  test.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/javascript'])(
    'a body of the type %s is a 415',
    async type => {
      const answer = await refuse(JSON.stringify(task), { 'content-type': type })
      expect(answer.status).toBe(415)
      expect(answer.body.code).toBe('UNSUPPORTED_MEDIA_TYPE')
    },
  )

  test('GET is no way to run a script', async () => {
    const answer = await server.rest('GET', `${path}?${new URLSearchParams(task)}`)
    expect([404, 405]).toContain(answer.status)
  })
})
