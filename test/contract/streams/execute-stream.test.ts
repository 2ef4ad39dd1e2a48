import { beforeAll, describe, expect, test } from 'vitest'
import { followRun, readRun } from '../../server/clients/follow-run.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

describe('a run with `Accept: text/event-stream`', () => {
  test('is a stream of its log and its end, which has the members of the JSON answer', async () => {
    const script = { sourceCode: "log('a', 1); console.warn({ b: '\\n' }); exit({ total: 3 })", name: 'sum' }
    const run = await followRun(server, script)
    expect(run.status).toBe(200)
    expect(run.headers.get('content-type')).toBe('text/event-stream')
    expect(run.headers.get('x-accel-buffering')).toBe('no')
    const { events, logs, execution } = await readRun(run)
    expect(events.map(({ event }) => event)).toEqual(['log', 'log', 'end'])
    expect(logs).toEqual([
      { at: isoTime, level: 'info', data: ['a', 1] },
      { at: isoTime, level: 'warn', data: [{ b: '\n' }] },
    ])
    const { body } = await server.execute(script)
    expect(Object.keys(execution)).toEqual(Object.keys(body.task_execution))
    expect(execution).toMatchObject({ name: 'sum', outcome: 'exit', payload: { total: 3 }, logs })
  })

  test('sends an entry of the log while the script goes on', async () => {
    const run = await followRun(server, "log('first'); await graphql('{ viewer { userId } }'); for (;;);")
    const { value } = await run.events.next()
    expect(value).toMatchObject({ event: 'log', data: { data: ['first'] } })
    run.cut()
  })

  test.each([
    ["fail('no')", { outcome: 'fail', message: 'no' }],
    ['throw new Error("broken")', { outcome: 'error', error: { code: 'RUNTIME' } }],
    ['let = 1 1', { outcome: 'error', error: { code: 'SYNTAX' } }],
    ['1', { outcome: 'error', error: { code: 'NO_OUTCOME' } }],
    ['for (;;);', { outcome: 'error', error: { code: 'TIMEOUT' } }],
  ])('is a 200 as well if it is `%s`', async (sourceCode, outcome) => {
    const run = await followRun(server, sourceCode)
    expect(run.status).toBe(200)
    expect((await readRun(run)).execution).toMatchObject(outcome)
  })

  test('names each call by its first root field, and says how it ended', async () => {
    const run = await followRun(
      server,
      `await graphql('query ($id: ID! = "7") { ...F } fragment F on Query { mine: user(id: $id) { id } }')
      await graphql('{ nothing }')
      await graphql('}').catch(() => null)
      exit(1)`,
    )
    const { events, calls } = await readRun(run)
    expect(events.map(({ event }) => event)).toEqual([...Array(6).fill('call'), 'end'])
    const ended = { state: 'ended', at: isoTime, duration_ms: expect.any(Number) }
    expect(calls).toEqual([
      { id: 1, name: 'user', state: 'begun', at: isoTime },
      { id: 1, name: 'user', ...ended, error: null },
      { id: 2, name: 'nothing', state: 'begun', at: isoTime },
      { id: 2, name: 'nothing', ...ended, error: expect.stringContaining('nothing') },
      { id: 3, name: 'graphql', state: 'begun', at: isoTime },
      { id: 3, name: 'graphql', ...ended, error: expect.stringContaining('Syntax Error') },
    ])
  })

  test('names the other host with its port', async () => {
    const run = await followRun(
      server,
      "await graphql('{ a }', {}, 'https://other.test/graphql').catch(log); exit(1)",
    )
    const { calls } = await readRun(run)
    expect(calls).toMatchObject([
      { name: 'other.test:443', state: 'begun' },
      { name: 'other.test:443', state: 'ended', error: expect.stringContaining('other.test') },
    ])
  })

  test('names the run that a call started', async () => {
    const inner = { name: 'inner', sourceCode: 'exit(2)', inputDocument: '{}', options: '{}' }
    const run = await followRun(server, `exit(await Platform.tasks.execute(${JSON.stringify(inner)}))`)
    const { calls, execution } = await readRun(run)
    const { id } = execution.payload as { readonly id: string }
    expect(calls).toEqual([
      { id: 1, name: 'executeTask', state: 'begun', at: isoTime },
      { ...calls[1], state: 'ended', run_id: id },
    ])
  })

  test('ends with a log that was cut as in the JSON answer, and sends no entry that is not in it', async () => {
    const script = 'for (let index = 0; index < 1_500; index++) log(index); exit(1)'
    const { logs, execution } = await readRun(await followRun(server, script))
    expect(logs).toEqual(execution.logs)
    expect(logs).toHaveLength(1_000)
    expect(logs.at(-2)).toMatchObject({ data: [998] })
    expect(logs.at(-1)).toMatchObject({ level: 'warn', data: [expect.stringContaining('501 more entries')] })
    const exactly = 'for (let index = 0; index < 1_000; index++) log(index); exit(1)'
    expect((await readRun(await followRun(server, exactly))).logs.at(-1)).toMatchObject({ data: [999] })
  })

  test('is one of a stored function too', async () => {
    const source = "log('stored'); exit(payload)"
    await server.rest('PUT', '/platform/functions/streamed', {
      body: source,
      headers: { 'content-type': 'text/javascript' },
    })
    const path = '/api/1/function/streamed/execute'
    const { logs, execution } = await readRun(
      await followRun(server, '', { path, body: { inputDocument: { a: 1 } } }),
    )
    expect(logs).toMatchObject([{ data: ['stored'] }])
    expect(execution).toMatchObject({ name: 'streamed', outcome: 'exit', payload: { a: 1 } })
  })

  test('is kept and listed as any other', async () => {
    const { execution } = await readRun(await followRun(server, 'exit(1)'))
    const query = 'query ($id: ID!) { run(id: $id) { outcome trigger } }'
    await expect
      .poll(async () => (await server.graphql(query, { id: execution.id })).body.data?.run)
      .toEqual({ outcome: 'EXIT', trigger: 'ENDPOINT' })
  })

  test('ends within a second if its client disconnects, and is kept as crashed', async () => {
    const run = await followRun(server, {
      name: 'left',
      sourceCode: "log(requestContext().txnID); await graphql('{ viewer { userId } }'); for (;;);",
    })
    await run.events.next()
    run.cut()
    const query = '{ runs(first: 20) { nodes { name state outcome error { code } } } }'
    await expect
      .poll(async () => {
        const { body } = await server.graphql<{ runs: { nodes: { name: string }[] } }>(query)
        return body.data?.runs.nodes.find(({ name }) => name === 'left')
      })
      .toEqual({ name: 'left', state: 'ENDED', outcome: 'ERROR', error: { code: 'CRASHED' } })
  })
})

describe('a request for a stream', () => {
  test.each([
    ['without a credential', 401, { token: 'none' }, {}],
    ['without a source', 400, {}, { sourceCode: 1 }],
    ['with a source that is too long', 413, {}, { sourceCode: ' '.repeat(262_145) }],
  ])('%s is refused with %i before it begins, as a problem', async (_name, status, options, script) => {
    const run = await followRun(
      server,
      { sourceCode: 'exit(1)', ...script } as { sourceCode: string },
      options,
    )
    expect(run.status).toBe(status)
    expect(run.headers.get('content-type')).toContain('application/problem+json')
  })

  test('of an unknown function is refused', async () => {
    const run = await followRun(server, '', {
      path: '/api/1/function/unknown/execute',
      body: { inputDocument: {}, options: {} },
    })
    expect(run.status).toBe(404)
  })

  test('with an `Idempotency-Key` is a 400, and nothing runs', async () => {
    const run = await followRun(server, "await graphql('{ nothing }'); exit(1)", {
      headers: { 'idempotency-key': 'streamed' },
    })
    expect(run.status).toBe(400)
    // The key is free.
    const answer = await server.execute('exit(1)', { headers: { 'idempotency-key': 'streamed' } })
    expect(answer.status).toBe(200)
  })

  test.each([
    '*/*',
    'application/json',
    'text/*',
    'text/event-stream;q=0, */*',
    // Clients made from the OpenAPI document can list all types of an answer, in its order.
    'application/json, text/event-stream',
    'application/json, text/event-stream;charset=utf-8',
    'text/event-stream;q=0.5, application/json',
    'Text/Event-Stream;q=0.1, */*',
  ])('is none with `Accept: %s`', async accept => {
    const run = await followRun(server, 'exit(1)', { headers: { accept } })
    expect(run.headers.get('content-type')).toContain('application/json')
    run.cut()
  })

  test.each([
    'text/event-stream',
    'text/event-stream, application/json',
    'text/event-stream, application/json; charset="UTF-8"',
    'application/graphql-response+json, text/event-stream',
    'application/json;q=0.5, text/event-stream',
    'Text/Event-Stream, */*',
    'text/event-stream; charset=utf-8',
  ])('is one with `Accept: %s`', async accept => {
    const run = await followRun(server, 'exit(1)', { headers: { accept } })
    expect(run.headers.get('content-type')).toBe('text/event-stream')
    expect((await readRun(run)).execution.outcome).toBe('exit')
  })
})
