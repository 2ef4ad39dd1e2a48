import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../http/edge/start-app.ts'
import { type HookOrder, saveHook as saveHookOf, startSandboxes } from '../../http/rest/save-hook.ts'

let app: TestApp
let types = 0

beforeAll(async () => {
  app = await startApp()
  await startSandboxes(app)
})
afterAll(() => app.close())

const newType = () => `type-${++types}`
const saveHook = (sourceCode: string, order: HookOrder = {}) => saveHookOf(app, sourceCode, order)

const create = (caseTypeCode: string, data: object = {}, token?: string) =>
  app.send('/platform/cases', {
    method: 'POST',
    body: { case: { case_type_code: caseTypeCode, data } },
    ...(token === undefined ? {} : { token }),
  })

const put = (id: number, data: object) =>
  app.send(`/platform/cases/${id}`, { method: 'PUT', body: { case: { data } } })

async function read(id: number) {
  return (await app.send(`/platform/cases/${id}`)).body.case
}

const saveCase = `mutation($input: SaveCaseInput!) {
  saveCase(input: $input) { case { id data version } saved changedFields patch txnID }
}`

describe('a pre-save hook', () => {
  test('gets the data, the changed fields, the case and the caller, and its exit is stored', async () => {
    const type = newType()
    const { body: created } = await create(type, { a: 1, gone: true, same: { x: 1, y: 2 } })
    const name = 'show-all'
    await saveHook('exit({ payload, options, context: requestContext() })', { caseTypeCode: type, name })
    const { status, body } = await put(created.case.id, { a: 2, same: { y: 2, x: 1 }, added: [1] })
    expect(status).toBe(200)
    const { data, version } = body.case
    expect(version).toBe(2)
    expect(data.payload).toEqual({ a: 2, same: { y: 2, x: 1 }, added: [1] })
    expect(data.options.changed_fields).toEqual({ a: [2, 1], gone: [null, true], added: [[1], null] })
    expect(data.options.case).toEqual({ id: created.case.id, case_type_code: type, version: 1 })
    expect(data.options.current_user).toMatchObject({ account_code: 'demo' })
    expect(data.options.params).toEqual({})
    expect(data.options.authorization).toMatch(/^Bearer rrun_/)
    expect(data.options.requestContext).toEqual(data.context)
    expect(data.context.txnSource).toMatch(new RegExp(`^hook\\|${type}/pre-save/show-all\\|\\d{4}-.*Z$`))
  })

  test('of a creation gets no id and no version', async () => {
    const type = newType()
    await saveHook('exit({ of: options.case, changed: options.changed_fields })', { caseTypeCode: type })
    const { status, body } = await create(type, { a: null, b: 1 })
    expect(status).toBe(201)
    expect(body.case.data).toEqual({
      of: { id: null, case_type_code: type, version: null },
      changed: { a: [null, null], b: [1, null] },
    })
  })

  test('runs after those of a lower position, then of a lower id, on what they made', async () => {
    const type = newType()
    const add = (word: string) =>
      `exit({ words: [...payload.words, '${word}'], changed: options.changed_fields })`
    await saveHook(add('third'), { caseTypeCode: type, position: 1 })
    await saveHook(add('fourth'), { caseTypeCode: type, position: 1 })
    await saveHook(add('first'), { caseTypeCode: type, position: -1 })
    await saveHook(add('second'), { caseTypeCode: type })
    const { body } = await create(type, { words: [] })
    expect(body.case.data.words).toEqual(['first', 'second', 'third', 'fourth'])
    expect(body.case.data.changed.words).toEqual([['first', 'second', 'third'], null])
  })

  test('that gives back what is stored leaves the version and makes no event', async () => {
    const type = newType()
    const { body: created } = await create(type, { a: 1 })
    await saveHook('exit({ a: 1 })', { caseTypeCode: type })
    const { body } = await app.graphql(saveCase, { input: { id: created.case.id, data: { a: 2 } } })
    expect(body.data.saveCase).toMatchObject({
      saved: false,
      case: { version: 1 },
      changedFields: {},
      patch: [],
    })
    const events = await app.graphql(`{ case(id: ${created.case.id}) { events { nodes { kind } } } }`)
    expect(events.body.data.case.events.nodes).toEqual([{ kind: 'CREATED' }])
  })

  test('that gives back its payload refuses no number that was stored', async () => {
    const type = newType()
    await saveHook('exit(payload)', { caseTypeCode: type })
    const { body } = await app.send('/platform/cases', {
      method: 'POST',
      body: { case: { case_type_code: type, data: { a: 1e20, b: 2 ** 60, c: 1e16, d: 2 ** 53 } } },
    })
    const { status } = await put(body.case.id, { ...body.case.data, e: -1e20 })
    expect([status, (await read(body.case.id)).data]).toEqual([200, { ...body.case.data, e: -1e20 }])
  })

  test('has its own scopes, and not those of the caller', async () => {
    const type = newType()
    const other = newType()
    const script = `const codes = [];
      for (const call of [
        () => Platform.cases.save({ case_type_code: '${other}', data: {} }),
        () => Platform.cases.list([1]),
        () => Platform.tasks.execute({ name: 'n', sourceCode: 'exit(1)', inputDocument: '1' }),
      ]) codes.push(await call().then(() => 'done', ({ code }) => code))
      exit({ codes })`
    await saveHook(script, { caseTypeCode: type })
    expect((await create(type)).body.case.data.codes).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'])
    const scoped = newType()
    await saveHook(script, { caseTypeCode: scoped, scopes: ['cases:read'] })
    expect((await create(scoped)).body.case.data.codes).toEqual(['FORBIDDEN', 'done', 'FORBIDDEN'])
    const writer = await app.issueToken('demo', ['cases:write'])
    const wide = newType()
    await saveHook(script, { caseTypeCode: wide, scopes: ['cases:write', 'tasks:execute', 'cases:read'] })
    const { body } = await app.graphql(saveCase, { input: { caseTypeCode: wide, data: {} } }, writer)
    expect(body.data.saveCase.case.data.codes).toEqual(['done', 'done', 'done'])
  })
})

describe('a refusal', () => {
  const refusals: [string, string, object][] = [
    ['fail', "fail('Give an owner. \\u00e9')", { code: 'SCRIPT_FAILED', detail: 'Give an owner. é' }],
    [
      'a throw',
      "throw new Error('x')",
      { code: 'SCRIPT_ERROR', error: { code: 'RUNTIME', message: 'Error: x' } },
    ],
    ['no outcome', '1', { code: 'SCRIPT_ERROR', error: { code: 'NO_OUTCOME' } }],
    ['exit of null', 'exit(null)', { code: 'SCRIPT_ERROR', error: { code: 'RESULT' } }],
    ['exit of a list', 'exit([])', { code: 'SCRIPT_ERROR', error: { code: 'RESULT' } }],
    ['exit of a text', "exit('x')", { code: 'SCRIPT_ERROR', error: { code: 'RESULT' } }],
    ['exit of nothing', 'exit()', { code: 'SCRIPT_ERROR', error: { code: 'RESULT' } }],
    ['exit of a function', 'exit({ a() {} })', { code: 'SCRIPT_ERROR', error: { code: 'RESULT' } }],
    [
      'an inexact integer',
      "exit({ a: JSON.rawJSON('9007199254740993') })",
      { code: 'SCRIPT_ERROR', error: { code: 'RESULT' } },
    ],
    [
      'a number that overflows',
      'exit({ a: [1e400] })',
      { error: { code: 'RESULT', line: 1, message: expect.stringContaining('`$.a[0]`') } },
    ],
    ['NaN', 'exit({ a: payload.b * 2 })', { code: 'SCRIPT_ERROR', error: { code: 'RESULT' } }],
    ['NaN in an object', 'exit({ a: Object(NaN) })', { code: 'SCRIPT_ERROR', error: { code: 'RESULT' } }],
    ['a key __proto__', `exit({ a: JSON.parse('{"__proto__":1}') })`, { error: { code: 'RESULT' } }],
    [
      '65 levels',
      'let v = {}; for (let i = 0; i < 64; i++) v = { v }; exit(v)',
      { code: 'SCRIPT_ERROR', error: { code: 'RESULT' } },
    ],
    [
      'data over 1 MiB',
      "exit({ a: 'x'.repeat(2 ** 20) })",
      { code: 'SCRIPT_ERROR', error: { code: 'LIMIT' } },
    ],
    [
      'a result over 2 MiB',
      "exit({ a: 'x'.repeat(2 ** 21) })",
      { code: 'SCRIPT_ERROR', error: { code: 'LIMIT' } },
    ],
    [
      'too much memory',
      'const a = []; for (;;) a.push(new Array(1e6).fill(1))',
      { error: { code: 'MEMORY' } },
    ],
  ]

  test.for(refusals)(
    'by %s is a problem document that says where, and nothing is stored',
    async ([, source, problem]) => {
      const type = newType()
      const { body: created } = await create(type, { a: 1 })
      const id = await saveHook(source, { caseTypeCode: type, name: `refuses-${type}` })
      await saveHook('exit({ late: true })', { caseTypeCode: type, position: 1 })
      const answer = await put(created.case.id, { a: 2 })
      expect(answer.status).toBe(422)
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
      expect(answer.body).toMatchObject({
        ...problem,
        status: 422,
        function: `refuses-${type}`,
        hook: { id, event: 'pre-save' },
        run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        txn_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      })
      expect(await read(created.case.id)).toMatchObject({ data: { a: 1 }, version: 1 })
      const { body } = await app.graphql(saveCase, { input: { id: created.case.id, data: { a: 2 } } })
      const { code, detail, error } = { code: answer.body.code, ...problem } as Record<string, unknown>
      expect(body.errors[0]).toMatchObject({
        ...(detail === undefined ? {} : { message: detail }),
        path: ['saveCase'],
        extensions: {
          code,
          function: `refuses-${type}`,
          hook: { id: String(id), event: 'PRE_SAVE' },
          ...(error === undefined ? {} : { error }),
        },
      })
      expect(body.errors[0].extensions.txnID).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  test('shows the error to callers with runs:read, and to others its code alone', async () => {
    const type = newType()
    await saveHook("\n  throw new Error('secret')", { caseTypeCode: type })
    const { body } = await create(type)
    expect(body.error).toMatchObject({ code: 'RUNTIME', message: 'Error: secret', line: 2 })
    expect(Object.keys(body.error).sort()).toEqual(['code', 'column', 'hint', 'line', 'message', 'stack'])
    const writer = await app.issueToken('demo', ['cases:write', 'cases:read'])
    const other = await create(type, {}, writer)
    expect(other.status).toBe(422)
    expect(other.body.error).toEqual({ code: 'RUNTIME' })
    expect(other.text).not.toContain('secret')
  })

  test('by a hook of a nested save rejects with code and message word for word', async () => {
    const [outer, fails, throws] = [newType(), newType(), newType()]
    await saveHook("fail('No more than 3.')", { caseTypeCode: fails })
    await saveHook("throw new Error('secret')", { caseTypeCode: throws })
    const script = `const save = code => Platform.cases.save({ case_type_code: code, data: {} })
      .catch(({ code, message }) => ({ code, message }))
      exit({ fails: await save('${fails}'), throws: await save('${throws}') })`
    await saveHook(script, { caseTypeCode: outer, scopes: ['cases:write'] })
    const { data } = (await create(outer)).body.case
    expect(data.fails).toEqual({ code: 'SCRIPT_FAILED', message: 'No more than 3.' })
    expect(data.throws.code).toBe('SCRIPT_ERROR')
    expect(data.throws.message).toMatch(
      /^The function `hook-\d+` of the pre-save hook `\d+` failed with `RUNTIME` in run/,
    )
  })

  test('by depth is TOO_DEEP', async () => {
    const type = newType()
    const script = `try {
      await Platform.cases.save({ case_type_code: '${type}', data: { n: payload.n + 1 } }); exit(payload)
    } catch (error) { fail(error.code + ' ' + error.message) }`
    await saveHook(script, { caseTypeCode: type, scopes: ['cases:write'] })
    const { status, body } = await create(type, { n: 1 })
    expect(status).toBe(422)
    expect(body).toMatchObject({
      code: 'SCRIPT_FAILED',
      detail: expect.stringContaining('TOO_DEEP Runs inside runs'),
    })
  })
})

describe('the case of a transaction', () => {
  test('is changed by exit alone: a save of it from within is CONFLICT, also through another case', async () => {
    const [a, b] = [newType(), newType()]
    const { body: caseA } = await create(a, {})
    const { body: caseB } = await create(b, {})
    const idA = caseA.case.id
    const scopes = ['cases:write', 'cases:read']
    const direct = `Platform.cases.save({ id: ${idA}, data: {} })
      .catch(({ code, reason, message }) => [code, reason, message])`
    await saveHook(`exit({ refused: await ${direct} })`, { caseTypeCode: b, scopes })
    const removal = `Platform.cases.delete(${idA}).catch(({ reason }) => reason)`
    const through = `Platform.cases.save({ id: ${caseB.case.id}, data: {} }).then(row => row.data.refused)`
    await saveHook(
      `exit({ direct: await ${direct}, removal: await ${removal}, through: await ${through} })`,
      {
        caseTypeCode: a,
        scopes,
      },
    )
    const { status, body } = await put(idA, { x: 1 })
    expect(status).toBe(200)
    const { data } = body.case
    expect(data.direct.slice(0, 2)).toEqual(['CONFLICT', 'OWN_CASE'])
    expect(data.direct[2]).toMatch(/Change `payload` and give it to `exit`/)
    expect([data.removal, data.through]).toEqual(['OWN_CASE', data.direct])
    expect((await read(caseB.case.id)).version).toBe(2)
  })
})

describe('a pre-delete hook', () => {
  test('gets the data with each field as removed, and lets the delete go on with any value', async () => {
    const type = newType()
    const { body: created } = await create(type, { a: 1, keep: true })
    await saveHook(`if (payload.keep) fail(JSON.stringify(options.changed_fields)); exit(7)`, {
      caseTypeCode: type,
      event: 'pre-delete',
    })
    const { id } = created.case
    const refused = await app.send(`/platform/cases/${id}`, { method: 'DELETE' })
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({
      code: 'SCRIPT_FAILED',
      detail: JSON.stringify({ a: [null, 1], keep: [null, true] }),
      hook: { event: 'pre-delete' },
    })
    expect((await put(id, { a: 1 })).status).toBe(200)
    expect((await app.send(`/platform/cases/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await app.send(`/platform/cases/${id}`)).status).toBe(404)
  })

  test('cannot save its case, and the refusal says that the case is being deleted', async () => {
    const type = newType()
    const { id } = (await create(type, {})).body.case
    const save = `Platform.cases.save({ id: ${id}, data: { a: 1 } })`
    await saveHook(`fail((await ${save}.catch(({ reason, message }) => [reason, message])).join(' '))`, {
      caseTypeCode: type,
      event: 'pre-delete',
      scopes: ['cases:write'],
    })
    const { body } = await app.send(`/platform/cases/${id}`, { method: 'DELETE' })
    expect(body.detail).toBe(
      `OWN_CASE Case \`${id}\` is being deleted by the transaction of this run. ` +
        'Call `exit` to allow the delete, or `fail` to refuse it.',
    )
  })
})
