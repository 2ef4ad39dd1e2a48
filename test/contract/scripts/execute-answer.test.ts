import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

describe('over REST', () => {
  test('exit is a 200 with every member of the answer', async () => {
    const started = performance.now()
    const startedAt = Date.now()
    const answer = await server.execute({
      name: 'recalculate',
      sourceCode: "log('total', payload.a + payload.b); exit({ ...payload, total: 6 })",
      inputDocument: { a: 2, b: 4 },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(answer.body).toEqual({
      task_execution: {
        id: expect.stringMatching(/\S/),
        name: 'recalculate',
        outcome: 'exit',
        payload: { a: 2, b: 4, total: 6 },
        message: null,
        error: null,
        logs: [{ at: expect.any(String), level: 'info', data: ['total', 6] }],
        request_context: {
          txnID: expect.stringMatching(guid),
          txnSource: expect.stringMatching(/^endpoint\|-\/recalculate\|\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        },
        duration_ms: expect.any(Number),
      },
    })
    const run = answer.body.task_execution
    const at = run.logs[0]?.at ?? ''
    expect(new Date(at).toISOString()).toBe(at)
    expect(Date.parse(at)).toBeGreaterThanOrEqual(startedAt)
    expect(run.duration_ms).toBeGreaterThan(0)
    // It began after the request and ended before the answer: a busy machine makes the answer later.
    expect(started + run.duration_ms).toBeLessThanOrEqual(performance.now())
  })

  test('fail is a 422 of the same body, with the message word for word', async () => {
    const message = 'Nicht möglich: "3 > 2"\n\ttab, \\ , </script> 🎈 \u2028 {{x}} %s'
    const answer = await server.execute({
      sourceCode: 'fail(payload)',
      inputDocument: JSON.stringify(message),
    })
    expect(answer.status).toBe(422)
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(answer.body.task_execution).toMatchObject({ outcome: 'fail', payload: null, message, error: null })
    expect(Object.keys(answer.body)).toEqual(['task_execution'])
  })

  test('an error is a 422 of the same body, with its code and place', async () => {
    const answer = await server.execute('log("before")\nthrow new TypeError("broken")')
    expect(answer.status).toBe(422)
    expect(answer.body.task_execution).toMatchObject({ outcome: 'error', payload: null, message: null })
    expect(answer.body.task_execution.error).toEqual({
      code: 'RUNTIME',
      message: expect.stringContaining('broken'),
      line: 2,
      column: expect.any(Number),
      stack: expect.any(String),
      hint: null,
    })
    expect(answer.body.task_execution.logs.map(entry => entry.data)).toEqual([['before']])
  })

  test('every execution has its own id', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await server.execute('exit(1)')).body.task_execution.id),
    )
    expect(new Set(ids).size).toBe(5)
  })
})

describe('over GraphQL', () => {
  const fields = `id name outcome payload message error { code message line column stack hint }
    logs { at level data } requestContext { txnID txnSource } durationMs`
  const run = async (sourceCode: string, extra: Record<string, unknown> = {}, token = server.adminToken) => {
    const input = { name: 'recalculate', sourceCode, inputDocument: '{"a":1}', options: '{}', ...extra }
    const answer = await server.graphql<{ executeTask: Record<string, unknown> }>(
      `mutation($input: ExecuteTaskInput!) { executeTask(input: $input) { ${fields} } }`,
      { input },
      token,
    )
    return { answer, execution: answer.body.data?.executeTask }
  }

  test('exit gives the same members in camelCase', async () => {
    const { answer, execution } = await run('log({ x: [1] }); exit(payload)', {
      metadata: { caseTypeCode: 'incident' },
    })
    expect(answer.status).toBe(200)
    expect(execution).toEqual({
      id: expect.stringMatching(/\S/),
      name: 'recalculate',
      outcome: 'EXIT',
      payload: { a: 1 },
      message: null,
      error: null,
      logs: [{ at: expect.stringMatching(/Z$/), level: 'INFO', data: [{ x: [1] }] }],
      requestContext: {
        txnID: expect.stringMatching(guid),
        txnSource: expect.stringMatching(/^\w+\|incident\/recalculate\|/),
      },
      durationMs: expect.any(Number),
    })
  })

  test('fail reaches the caller word for word, whatever its role', async () => {
    const tokens = [
      server.adminToken,
      await server.token({ account: 'beta', user: 1, scopes: ['tasks:execute'] }),
    ]
    for (const token of tokens) {
      const { answer, execution } = await run('fail("Genau so: \\"so\\"\\n…")', {}, token)
      expect(answer.body.errors).toBeUndefined()
      expect(execution).toMatchObject({ outcome: 'FAIL', message: 'Genau so: "so"\n…', payload: null })
      const rest = await server.execute('fail("Genau so: \\"so\\"\\n…")', { token })
      expect(rest.body.task_execution.message).toBe('Genau so: "so"\n…')
    }
  })

  test('an error of the script is a value, not a GraphQL error', async () => {
    const { answer, execution } = await run('null.x')
    expect(answer.body.errors).toBeUndefined()
    expect(execution).toMatchObject({ outcome: 'ERROR', error: { code: 'RUNTIME', line: 1 } })
  })

  test('input that never becomes an execution is a GraphQL error', async () => {
    const { answer } = await run('exit(1)', { inputDocument: '{"a":' })
    expect(answer.body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
    const { answer: bad } = await run('exit(1)', { options: '[]' })
    expect(bad.body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  })
})
