import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ExecutionBody, ProblemBody } from '../../server/clients/wire-shapes.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
  await save('echo', 'log("ran"); exit({ payload, params: options.params, context: requestContext() })')
  await save('echo', 'exit("of incidents")', 'incident')
  await save('throws', 'throw new Error("secret detail")')
  await save('fails', 'fail("Give an owner.")')
})

const hashOf = (source: string) => createHash('sha256').update(source).digest('hex')

async function save(name: string, sourceCode: string, caseTypeCode: string | null = null, token?: string) {
  const document = 'mutation($input: SaveFunctionInput!) { saveFunction(input: $input) { id } }'
  const { body, text } = await server.graphql(document, { input: { name, sourceCode, caseTypeCode } }, token)
  expect(body.errors, text).toBeUndefined()
}

interface Echo {
  readonly payload: unknown
  readonly params: unknown
  readonly context: { readonly txnID: string; readonly txnSource: string }
}

type RunOptions = Parameters<SharedServer['rest']>[2]
const run = <P = unknown>(name: string, body: unknown, options: RunOptions = {}) =>
  server.rest<ExecutionBody<P>>('POST', `/api/1/function/${name}/execute`, { body, ...options })

describe('POST /api/1/function/{name}/execute', () => {
  test('runs the live version with its input, in a transaction that names the function', async () => {
    const { status, body } = await run<Echo>('echo', {
      inputDocument: { a: 1 },
      options: { params: { b: 2 } },
      metadata: { case_type_code: 'request' },
    })
    expect(status).toBe(200)
    expect(body.task_execution).toMatchObject({ name: 'echo', outcome: 'exit', message: null, error: null })
    expect(body.task_execution.logs).toMatchObject([{ level: 'info', data: ['ran'] }])
    const { payload, params, context } = body.task_execution.payload
    expect([payload, params]).toEqual([{ a: 1 }, { b: 2 }])
    expect(context.txnSource).toMatch(/^function\|request\/echo\|\d{4}-.*Z$/)
    expect(body.task_execution.request_context).toEqual(context)
  })

  test('takes a form, text and no options; the code is - without a case type', async () => {
    const form = new URLSearchParams({ inputDocument: '{"a":1}', 'metadata[case_type_code]': 'incident' })
    const answer = await fetch(`${server.baseUrl}/api/1/function/echo/execute`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${server.adminToken}` },
    })
    expect(await answer.json()).toMatchObject({ task_execution: { payload: 'of incidents' } })
    const { body } = await run<Echo>('echo', { inputDocument: 'null', options: null })
    expect(body.task_execution.payload).toMatchObject({ payload: null, params: {} })
    expect(body.task_execution.payload.context.txnSource).toMatch(/^function\|-\/echo\|/)
  })

  test('runs the version that is asked for, whichever is live', async () => {
    await save('versions', 'exit(1)')
    await save('versions', 'exit(2)')
    const payloadOf = async (version: string | null) =>
      (await run('versions', { inputDocument: 0, version })).body.task_execution.payload
    expect(await payloadOf(null)).toBe(2)
    expect(await payloadOf(hashOf('exit(1)'))).toBe(1)
    expect((await run('versions', { inputDocument: 0, version: hashOf('exit(3)') })).status).toBe(404)
  })

  test('passes a document of 100,000 values on', async () => {
    const inputDocument = Array.from({ length: 100_000 }, (_, index) => index)
    await save('counts', 'exit(payload.length)')
    expect((await run('counts', { inputDocument })).body.task_execution.payload).toBe(100_000)
  })

  test('answers 422 for fail and for an error', async () => {
    const failed = await run('fails', { inputDocument: {} })
    expect([failed.status, failed.body.task_execution.message]).toEqual([422, 'Give an owner.'])
    const threw = await run('throws', { inputDocument: {} })
    expect(threw.status).toBe(422)
    expect(threw.body.task_execution.error).toMatchObject({
      code: 'RUNTIME',
      message: 'Error: secret detail',
      line: 1,
    })
  })

  test('shows a caller without `runs:read` the code of an error alone', async () => {
    const token = await server.token({ account: server.account, scopes: ['tasks:execute'] })
    const { text, body } = await run('throws', { inputDocument: {} }, { token })
    expect(text).not.toContain('secret')
    const { id } = body.task_execution
    expect(body.task_execution.error).toEqual({
      code: 'RUNTIME',
      message: `The function \`throws\` failed in run \`${id}\`; read its error with the scope \`runs:read\`.`,
      line: null,
      column: null,
      stack: null,
      hint: null,
    })
    const failed = await run('fails', { inputDocument: {} }, { token })
    expect(failed.body.task_execution.message).toBe('Give an owner.')
  })

  test.each([
    [{}, '/inputDocument'],
    [{ inputDocument: '{' }, '/inputDocument'],
    [{ inputDocument: {}, options: [] }, '/options'],
    [{ inputDocument: {}, options: '[]' }, '/options'],
    [{ inputDocument: {}, version: 7 }, '/version'],
    [{ inputDocument: {}, metadata: { case_type_code: 7 } }, '/metadata/case_type_code'],
    [{ inputDocument: {}, metadata: { case_type_code: 'x'.repeat(201) } }, '/metadata/case_type_code'],
  ])('refuses %j with a pointer', async (body, pointer) => {
    const answer = await server.rest<ProblemBody>('POST', '/api/1/function/echo/execute', { body })
    expect(answer.status).toBe(400)
    expect(answer.body.errors?.[0]?.pointer).toBe(pointer)
  })

  test('under an idempotency key a function runs once', async () => {
    await save('random', 'exit(generateGuid())')
    const headers = { 'idempotency-key': 'once' }
    const first = await run('random', { inputDocument: {} }, { headers })
    const again = await run('random', { inputDocument: {} }, { headers })
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
    expect((await run('random', { inputDocument: 1 }, { headers })).status).toBe(409)
  })
})

const document = `mutation($input: RunFunctionInput!) {
  runFunction(input: $input) { name outcome payload error { code message } } }`

test('runFunction runs it too', async () => {
  const { body } = await server.graphql(document, {
    input: { name: 'echo', inputDocument: { constructor: 1 }, options: { params: { x: [1] } } },
  })
  expect(body.data).toMatchObject({
    runFunction: { outcome: 'EXIT', payload: { payload: { constructor: 1 }, params: { x: [1] } } },
  })
})

describe('the transaction of a function run', () => {
  const txnID = '0b6e1f0a-9d3c-4c1e-8f2a-1234567890ab'
  const requestContext = { txnID, txnSource: 'hook|incident/close|2026-01-01T00:00:00.000Z' }
  const own = expect.stringMatching(/^function\|incident\/where\|\d{4}-.*Z$/)
  beforeAll(() => save('where', 'exit(options.requestContext)', 'incident'))

  test('is a given one, with the source of the run itself', async () => {
    const rest = await run('where', {
      inputDocument: 1,
      options: { requestContext },
      metadata: { case_type_code: 'incident' },
    })
    expect(rest.body.task_execution.payload).toEqual({ txnID, txnSource: own })
    expect(rest.body.task_execution.request_context).toEqual({ txnID, txnSource: own })
    const input = { name: 'where', caseTypeCode: 'incident', inputDocument: 1, options: { requestContext } }
    const { body } = await server.graphql(document, { input })
    expect(body.data).toMatchObject({ runFunction: { payload: { txnID, txnSource: own } } })
  })

  test('is that of the script that runs it, over every door, with the source of the run itself', async () => {
    const { body } = await server.execute<unknown[]>({
      name: 'outer',
      sourceCode: `const document = 'mutation($input: RunFunctionInput!) { runFunction(input: $input) { payload } }'
        const input = { name: 'where', caseTypeCode: 'incident', inputDocument: 1 }
        const answer = await graphql(document, { input })
        exit([
          answer.data.runFunction.payload,
          (await Platform.functions.run('where', 1, { case_type_code: 'incident' })).payload,
          requestContext(),
        ])`,
      inputDocument: '1',
      options: JSON.stringify({ requestContext }),
    })
    const inner = { txnID, txnSource: own }
    expect(body.task_execution.payload).toEqual([inner, inner, requestContext])
    const { id } = body.task_execution
    const listed =
      'query($t: String) { runs(filter: {txnID: $t, trigger: FUNCTION}) { nodes { txnSource parent { id } } } }'
    await expect
      .poll(
        async () =>
          (await server.graphql<{ runs: { nodes: { parent: unknown }[] } }>(listed, { t: txnID })).body,
      )
      .toMatchObject({
        data: { runs: { nodes: expect.arrayContaining([{ txnSource: own, parent: { id } }]) } },
      })
  })
})

test('Platform.functions.run gives the execution, within the transaction of its caller', async () => {
  const { body } = await server.execute<{ name: string; payload: Echo; outcome: string }[]>(`exit([
    await Platform.functions.run('echo', { a: 1 }, { params: { b: 2 } }),
    await Platform.functions.run('echo', 1, { case_type_code: 'incident' }),
    await Platform.functions.run('fails', 1),
    await Platform.functions.run('nothing', 1).catch(error => error.code + ' ' + error.message)])`)
  const [first, second, third, fourth] = body.task_execution.payload
  expect(first).toMatchObject({
    name: 'echo',
    outcome: 'exit',
    payload: { payload: { a: 1 }, params: { b: 2 } },
  })
  expect(first?.payload.context).toEqual({
    txnID: body.task_execution.request_context.txnID,
    txnSource: expect.stringMatching(/^function\|-\/echo\|/),
  })
  expect(second).toMatchObject({ payload: 'of incidents' })
  expect(third).toMatchObject({ outcome: 'fail', message: 'Give an owner.' })
  expect(fourth).toBe('NOT_FOUND There is no function `nothing`.')
})

describe('a function of another account is an unknown one, byte for byte', () => {
  const mask = (text: string) => text.replace(/theirs|nobodys/g, '<name>')

  test('over REST, GraphQL and from a script', async () => {
    const other = await server.token({ account: `${server.account}-other` })
    await save('theirs', 'exit("secret")', null, other)
    const names = ['theirs', 'nobodys']
    const rest = await Promise.all(names.map(name => run(name, { inputDocument: {} })))
    expect(rest.map(({ status }) => status)).toEqual([404, 404])
    const graphql = await Promise.all(
      names.map(name => server.graphql(document, { input: { name, inputDocument: {} } })),
    )
    const script = (name: string) =>
      server.execute(`exit(await Platform.functions.run('${name}', 1).catch(error => error.message))`)
    const scripts = (await Promise.all(names.map(script))).map(({ body }) => ({
      text: String(body.task_execution.payload),
    }))
    for (const [own, unknown] of [rest, graphql, scripts])
      expect(mask(own?.text ?? '')).toBe(mask(unknown?.text ?? '?'))
  })

  test('without `tasks:execute` nothing runs', async () => {
    const token = await server.token({
      account: server.account,
      scopes: ['functions:read', 'functions:write', 'runs:read'],
    })
    expect((await run('echo', { inputDocument: {} }, { token })).status).toBe(403)
  })
})
