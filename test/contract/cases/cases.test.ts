import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareReplicas, shareServer } from '../../server/gateways/share-server.ts'

interface CaseBody {
  readonly case: { readonly id: number; readonly data: unknown; readonly version: number }
}

interface Problem {
  readonly code: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

const path = '/platform/cases'

describe.each([
  ['SQLite', shareServer],
  ['PostgreSQL', async () => (await shareReplicas())[0]],
])('cases on %s', (_, share) => {
  let server: SharedServer
  beforeAll(async () => {
    server = await share()
  })

  const post = (data: unknown, headers = {}) =>
    server.rest<CaseBody & Problem>('POST', path, {
      body: { case: { case_type_code: 'incident', data } },
      headers,
    })
  const create = async (data: unknown = { a: 1 }) => (await post(data)).body.case.id
  const send = (method: string, id: number, data: unknown, headers = {}) =>
    server.rest<CaseBody & Problem>(method, `${path}/${id}`, { body: { case: { data } }, headers })
  const mutate = async (mutation: string, variables: Record<string, unknown> = {}) =>
    (await server.graphql(mutation, variables)).body

  test('a created case is 201 with its row, `Location` and `ETag`', async () => {
    const { status, headers, body } = await post({ a: 1 })
    const { id } = body.case
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`${path}/${id}`)
    expect(headers.get('etag')).toBe('"1"')
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const row = {
      id,
      case_type_code: 'incident',
      data: { a: 1 },
      version: 1,
      created_at: time,
      updated_at: time,
    }
    expect(body.case).toEqual(row)
    const read = await server.rest<CaseBody>('GET', `${path}/${id}`)
    expect([read.status, read.headers.get('etag'), read.body.case]).toEqual([200, '"1"', body.case])
    const other = await create()
    const list = await server.rest<{ cases: { id: number }[] }>(
      'GET',
      `${path}?ids[]=${other}&ids[]=99999&ids[]=${id}`,
    )
    expect(list.body.cases.map(each => each.id)).toEqual([other, id])
  })

  test('an escaped key is stored as it is, whatever keys were sent before', async () => {
    // V8 misreads a key after the keys of another object, which must be new ones.
    const name = `field ${randomUUID()}`
    await create({ [name]: 1, '\\': 1 })
    const data = { [name]: 1, '\n': { "'": 1 } }
    const id = await create(data)
    const headers = { authorization: `Bearer ${server.adminToken}` }
    const answer = await fetch(`${server.baseUrl}${path}/${id}`, { headers })
    expect(await answer.text()).toContain(`"data":${JSON.stringify(data)}`)
  })

  test('PUT replaces, PATCH merges, equal data changes nothing, DELETE is 204', async () => {
    const id = await create({ a: 1, b: { c: 1 } })
    const put = await send('PUT', id, { b: { c: 1, d: [2] } }, { 'if-match': '"1"' })
    expect([put.status, put.headers.get('etag'), put.body.case.data]).toEqual([
      200,
      '"2"',
      { b: { c: 1, d: [2] } },
    ])
    const patched = await send('PATCH', id, { b: { c: null }, e: 'x' })
    expect([patched.status, patched.body.case.data]).toEqual([200, { b: { d: [2] }, e: 'x' }])
    const equal = await send('PUT', id, { e: 'x', b: { d: [2] } })
    expect([equal.status, equal.body.case.version]).toEqual([200, 3])
    const stale = await send('PUT', id, {}, { 'if-match': '"1"' })
    expect([stale.status, stale.body.code]).toEqual([412, 'PRECONDITION_FAILED'])
    expect((await server.rest('DELETE', `${path}/${id}`, { headers: { 'if-match': '"2"' } })).status).toBe(
      412,
    )
    const removed = await server.rest('DELETE', `${path}/${id}`, { headers: { 'if-match': '"3"' } })
    expect([removed.status, removed.text]).toEqual([204, ''])
    for (const method of ['GET', 'DELETE']) {
      expect((await server.rest(method, `${path}/${id}`)).status).toBe(404)
    }
    expect((await send('PUT', id, {})).status).toBe(404)
  })

  test('a case can be sent back as it was read, and only with its own type', async () => {
    const { case: record } = (await post({ a: 1 })).body
    const save = (method: string, change: object) =>
      server.rest<CaseBody & Problem>(method, `${path}/${record.id}`, {
        body: { case: { ...record, ...change } },
      })
    for (const method of ['PUT', 'PATCH']) {
      expect((await save(method, {})).body.case).toEqual(record)
      expect((await save(method, { case_type_code: null })).status).toBe(200)
      for (const [code, detail] of [
        ['zz', `cannot change: case \`${record.id}\` is of the type \`incident\``],
        ['z z', expect.stringMatching(/^must start with a letter or digit/)],
        [5, 'must be text or null; it is `5`'],
      ]) {
        const { status, body } = await save(method, { case_type_code: code, data: {} })
        const error = { pointer: '/case/case_type_code', detail }
        expect([status, body.code, body.errors]).toEqual([400, 'BAD_USER_INPUT', [error]])
      }
    }
    expect((await server.rest<CaseBody>('GET', `${path}/${record.id}`)).body.case).toEqual(record)
  })

  test('data come back value for value', async () => {
    const data =
      '{"z":1,"constructor":{"toString":[null,1e300]},"a":"\\u0000 \\ud800 é🔑","n":9007199254740991,"":{}}'
    const id = await create(JSON.parse(data))
    const { text } = await server.rest('GET', `${path}/${id}`)
    expect(text).toContain(JSON.stringify(JSON.parse(data)))
    const { data: answer } = await mutate(`{ case(id: ${id}) { data } }`)
    expect(answer).toEqual({ case: { data: JSON.parse(data) } })
  })

  test('what a read returns can be saved as it is, on every way in and by `exit`', async () => {
    const spellings = '9007199254740992.0,1e20,-1e+16,123456789e22,1.7976931348623157e308,5e-324,0.1,-1E-7,-0'
    const body = `{"case":{"case_type_code":"numbers","data":{"n":[${spellings}]}}}`
    const { id } = (await server.rest<CaseBody>('POST', path, { body })).body.case
    const read = async () => {
      const { text } = await server.rest('GET', `${path}/${id}`)
      return /"data":(.*),"version":(\d+)/.exec(text)?.slice(1) ?? []
    }
    const [data] = await read()
    expect(data).toBe(JSON.stringify({ n: JSON.parse(`[${spellings}]`) }))
    const execute = async (sourceCode: string) => {
      const run = (await server.execute({ sourceCode, inputDocument: {} })).body.task_execution
      expect(run).toMatchObject({ outcome: 'exit' })
      return run?.payload
    }
    const literal = data?.replaceAll('"', '')
    const saves: (() => Promise<unknown>)[] = [
      async () => (await server.rest('PUT', `${path}/${id}`, { body: `{"case":{"data":${data}}}` })).status,
      async () => (await server.rest('PATCH', `${path}/${id}`, { body: `{"case":{"data":${data}}}` })).status,
      () => mutate(`mutation { saveCase(input: {id: ${id}, data: ${literal}}) { saved } }`),
      () =>
        server.rest('POST', '/graphql', {
          body: `{"variables":{"d":${data}},
            "query":"mutation($d: JSON!) { saveCase(input: {id: ${id}, data: $d}) { saved } }"}`,
        }),
      () =>
        execute(`const { data } = await Platform.cases.get(${id}); await Platform.cases.save({ id: ${id}, data })
        await graphql(\`mutation { saveCase(input: {id: ${id}, data: ${literal}}) { saved } }\`); exit(1)`),
    ]
    for (const [index, save] of saves.entries()) {
      const between = await send('PUT', id, { n: index })
      expect(between.status).toBe(200)
      await save()
      expect(await read()).toEqual([data, String(2 * index + 3)])
    }
  })

  test('has at most 10,000 fields at the top level, on every way in, and more below', async () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]))
    const refused = { status: 400, pointer: '/case/data', detail: expect.stringContaining('10000') }
    const problem = ({ status, body }: { status: number; body: Problem }) => ({
      status,
      ...body.errors?.[0],
    })
    expect(problem(await post(fields(10_001)))).toEqual(refused)
    const made = await post(fields(10_000))
    expect(made.status).toBe(201)
    const { id } = made.body.case
    expect(problem(await send('PUT', id, fields(10_001)))).toEqual(refused)
    expect(problem(await send('PATCH', id, { more: 1 }))).toEqual(refused)
    expect((await send('PATCH', id, { more: 1, f0: null })).status).toBe(200)
    const { errors } = await mutate(
      'mutation($d: JSON!) { saveCase(input: {caseTypeCode: "x", data: $d}) { saved } }',
      {
        d: fields(10_001),
      },
    )
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ pointer: '/data' }] })
    expect((await post({ a: fields(10_001) })).status).toBe(201)
  })

  const nest = (levels: number): string => (levels === 1 ? '{}' : `{"a":${nest(levels - 1)}}`)
  test.each([
    ['{"a":[{"__proto__":1}]}', 400, '/case/data/a/0/__proto__'],
    ['{"a":{"b":9007199254740993}}', 400, '/case/data/a/b'],
    ['{"a":9.007199254740993E15}', 400, '/case/data/a'],
    ['{"a":1e400}', 400, '/case/data/a'],
    ['[]', 400, '/case/data'],
    ['null', 400, '/case/data'],
    [nest(65), 400, `/case/data${'/a'.repeat(64)}`],
  ])('refuses the data %.40s with %i and the pointer %.40s', async (data, status, pointer) => {
    const body = `{"case":{"case_type_code":"incident","data":${data}}}`
    const answer = await server.rest<Problem>('POST', path, { body })
    expect([answer.status, answer.body.code]).toEqual([status, 'BAD_USER_INPUT'])
    expect(answer.body.errors?.map(({ pointer }) => pointer)).toEqual([pointer])
  })

  test('of 1 MiB that replace 1 MiB are in the answer to a save, with the changed fields', async () => {
    const textOf = (letter: string) => letter.repeat(2 ** 20 - 8)
    const id = await create({ a: textOf('x') })
    const document = `mutation($input: SaveCaseInput!) {
      saveCase(input: $input) { case { data } changedFields } }`
    const { body } = await server.graphql(document, { input: { id, data: { a: textOf('y') } } })
    expect(body).toEqual({
      data: {
        saveCase: { case: { data: { a: textOf('y') } }, changedFields: { a: [textOf('y'), textOf('x')] } },
      },
    })
  })

  test('takes 64 levels and 1 MiB, and no byte more', async () => {
    expect((await post(JSON.parse(nest(64)))).status).toBe(201)
    const text = 'x'.repeat(2 ** 20 - 8)
    expect((await post({ a: text })).status).toBe(201)
    const over = await post({ a: `${text}x` })
    expect([over.status, over.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(over.body.errors?.map(({ pointer }) => pointer)).toEqual(['/case/data'])
    const id = await create({ a: text })
    expect((await send('PATCH', id, { b: 1 })).status).toBe(413)
  })

  test('takes data of many values, and counts those beside them', async () => {
    const list = Array.from({ length: 200_000 }, () => [])
    const id = await create({ list })
    const { data } = await mutate('mutation($input: SaveCaseInput!) { saveCase(input: $input) { saved } }', {
      input: { id, data: { list: [...list, 1] } },
    })
    expect(data).toEqual({ saveCase: { saved: true } })
    const many = Array.from({ length: 9_000 }, () => id)
    const { errors } = await mutate(
      'mutation($input: SaveCaseInput!) { saveCase(input: $input) { saved } }',
      {
        input: { id, data: {}, ifVersions: many },
      },
    )
    expect(errors?.[0]?.extensions).toMatchObject({ bound: 'values' })
  })

  test.each([
    ['a bad type code', { case_type_code: '-x', data: {} }, '/case/case_type_code'],
    ['no type code', { data: {} }, '/case/case_type_code'],
    ['no data', { case_type_code: 'incident' }, '/case/data'],
  ])('refuses %s', async (_name, body, pointer) => {
    const answer = await server.rest<Problem>('POST', path, { body: { case: body } })
    expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, pointer])
  })

  test('GraphQL says what a save changed, in its transaction', async () => {
    const id = await create({ a: 1, list: [1, 2, 3], gone: true })
    const save = `mutation($input: SaveCaseInput!) { saveCase(input: $input) {
      saved changedFields patch txnID case { version data events { nodes { kind version changedFields txnID } } } } }`
    const input = { id, data: { a: 1, list: [1, 2, 4], new: {}, gone: null }, mode: 'MERGE' }
    const dry = await mutate(save, { input: { ...input, dryRun: true } })
    const changedFields = {
      list: [
        [1, 2, 4],
        [1, 2, 3],
      ],
      new: [{}, null],
      gone: [null, true],
    }
    expect(dry.data?.saveCase).toMatchObject({ saved: false, changedFields, case: { version: 1 } })
    const { data } = await mutate(save, { input })
    expect(data?.saveCase).toMatchObject({
      saved: true,
      changedFields,
      patch: expect.arrayContaining([
        { op: 'replace', path: '/list', value: [1, 2, 4] },
        { op: 'remove', path: '/gone' },
        { op: 'add', path: '/new', value: {} },
      ]),
      case: { version: 2, data: { a: 1, list: [1, 2, 4], new: {} } },
    })
    const { saveCase } = data as {
      saveCase: { txnID: string; case: { events: { nodes: { txnID: string; kind: string }[] } } }
    }
    const { txnID, case: saved } = saveCase
    expect(saved.events.nodes.map(({ kind }) => kind)).toEqual(['CREATED', 'SAVED'])
    expect(saved.events.nodes[1]).toMatchObject({ txnID, version: 2, changedFields })
  })

  test('look-ups by indexed fields have pages both ways', async () => {
    const type = `t${Math.floor(performance.now())}`
    const index =
      'mutation($input: SaveCaseTypeInput!) { saveCaseType(input: $input) { code indexedFields } }'
    const save = 'mutation($input: SaveCaseInput!) { saveCase(input: $input) { case { id } } }'
    const ids: string[] = []
    for (const state of ['open', 'open', 'closed', 'open']) {
      const { data } = await mutate(save, { input: { caseTypeCode: type, data: { state } } })
      ids.push((data as { saveCase: { case: { id: string } } }).saveCase.case.id)
    }
    expect(
      (await mutate(index, { input: { code: type, indexedFields: ['state'] } })).data?.saveCaseType,
    ).toEqual({
      code: type,
      indexedFields: ['state'],
    })
    const find = async (rest: string, where: unknown = [{ field: 'state', in: ['open'] }]) =>
      mutate(
        `query($filter: CaseFilter) { cases(filter: $filter, ${rest}) { nodes { id } pageInfo { hasNextPage
          hasPreviousPage startCursor endCursor } } }`,
        { filter: { caseTypeCode: type, where } },
      )
    type Page = { nodes: { id: string }[]; pageInfo: { endCursor: string; hasNextPage: boolean } }
    const first = (await find('first: 2')).data?.cases as Page
    expect([first.nodes.map(({ id }) => id), first.pageInfo.hasNextPage]).toEqual([[ids[0], ids[1]], true])
    const next = (await find(`first: 2, after: "${first.pageInfo.endCursor}"`)).data?.cases as Page
    expect([next.nodes.map(({ id }) => id), next.pageInfo.hasNextPage]).toEqual([[ids[3]], false])
    const last = (await find('last: 1')).data?.cases as Page
    expect(last.nodes.map(({ id }) => id)).toEqual([ids[3]])
    const { errors } = await find('first: 1', [{ field: 'other', in: [1] }])
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('`state`'),
      extensions: { code: 'BAD_USER_INPUT', errors: [{ pointer: '/filter/where/0/field' }] },
    })
  })

  test('a script cannot save an infinite number or NaN, which JSON would turn into null', async () => {
    const { body } = await server.execute({
      sourceCode: `
        const { save } = Platform.cases
        const { id } = await save({ case_type_code: 'incident', data: { total: 1, items: [1] } })
        const refusals = []
        for (const data of [{ total: 0 / 0 }, { items: [1e308 * 10] }, { total: Object(0 / 0) }])
          for (const merge of [true, false]) await save({ id, data, merge }).catch(e => refusals.push(e.message))
        exit({ refusals, kept: await Platform.cases.get(id) })`,
      inputDocument: {},
    })
    const refusal = (path: string) =>
      `JSON cannot carry an infinite number or NaN, at \`$.input.data.${path}\`, in what \`Platform.cases.save\` sends`
    const [total, items] = ['total', 'items[0]'].map(refusal)
    expect(body.task_execution.payload).toMatchObject({
      refusals: [total, total, items, items, total, total],
      kept: { version: 1, data: { total: 1, items: [1] } },
    })
  })

  test('a script uses `Platform.cases`', async () => {
    const { body } = await server.execute({
      sourceCode: `
        const { cases } = Platform
        const made = await cases.save({ case_type_code: 'incident', data: { a: 1 } })
        const merged = await cases.save({ id: made.id, data: { b: 2 }, merge: true, if_version: 1 })
        const stale = await cases.save({ id: made.id, data: {}, if_version: 1 })
          .catch(e => [e.code, e.reason, e.message])
        const found = await cases.find({ case_type_code: 'incident', first: 1 })
        const got = await cases.get(made.id)
        const listed = await cases.list([made.id])
        const kept = await cases.delete(made.id, { if_version: 1 }).catch(e => e.code)
        const gone = await cases.delete(made.id)
        const none = await cases.get(made.id)
        const page = [found.cases.length, typeof found.end_cursor]
        exit({ id: made.id, merged, stale, found: page, got, listed, kept, gone, none })`,
      inputDocument: {},
    })
    const { payload, error } = body.task_execution as { payload: Record<string, unknown>; error: unknown }
    expect(error).toBe(null)
    expect(payload).toMatchObject({
      merged: { data: { a: 1, b: 2 }, version: 2, case_type_code: 'incident' },
      stale: ['PRECONDITION_FAILED', 'VERSION', expect.stringContaining('version')],
      found: [1, 'string'],
      kept: 'PRECONDITION_FAILED',
      gone: null,
      none: null,
    })
    expect(payload.got).toEqual(payload.merged)
    expect(payload.listed).toEqual([payload.merged])
  })

  test('a save under an idempotency key is done once', async () => {
    const headers = { 'idempotency-key': `save-${performance.now()}` }
    const first = await post({ a: 1 }, headers)
    const again = await post({ a: 1 }, headers)
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([
      201,
      first.text,
      'true',
    ])
  })

  test('20 merges at once over HTTP all arrive', async () => {
    const id = await create({})
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send('PATCH', id, { [`f${index}`]: index })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const { body } = await server.rest<CaseBody>('GET', `${path}/${id}`)
    expect(Object.keys(body.case.data as object)).toHaveLength(20)
    expect(body.case.version).toBe(21)
  })

  test('a credential needs `cases:read` to read and `cases:write` to save', async () => {
    const id = await create()
    const reader = await server.token({
      account: server.account,
      user: 5,
      email: 'r@x.example',
      scopes: ['cases:read'],
    })
    const writer = await server.token({
      account: server.account,
      user: 6,
      email: 'w@x.example',
      scopes: ['cases:write'],
    })
    const ask = (method: string, token: string) =>
      server.rest(method, `${path}/${id}`, {
        token,
        ...(method === 'PUT' && { body: { case: { data: { b: 1 } } } }),
      })
    const statuses = async (token: string) => [
      (await ask('GET', token)).status,
      (await ask('PUT', token)).status,
    ]
    expect([await statuses(reader), await statuses(writer)]).toEqual([
      [200, 403],
      [403, 200],
    ])
  })
})
