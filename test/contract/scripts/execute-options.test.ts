import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

async function seeOptions(options: unknown, token = server.adminToken): Promise<Record<string, unknown>> {
  const answer = await server.execute<Record<string, unknown>>(
    { sourceCode: 'exit(options)', options },
    { token },
  )
  expect(answer.status).toBe(200)
  return answer.body.task_execution.payload
}

describe('current_user', () => {
  test('is passed on as given, for every caller', async () => {
    const given = { id: 42, email: 'x@y.example', display_name: 'Someone', account_code: 'other', more: [1] }
    expect((await seeOptions({ current_user: given })).current_user).toEqual(given)
  })

  test('is filled from the credential when absent', async () => {
    const token = await server.token({ account: 'beta', email: 'ann@example.com' })
    const viewer = await server.graphql<{ viewer: { userId: string } }>('{ viewer { userId } }', {}, token)
    expect((await seeOptions({}, token)).current_user).toEqual({
      id: Number(viewer.body.data?.viewer.userId),
      email: 'ann@example.com',
      display_name: null,
      account_code: 'beta',
    })
  })

  test('is data, never authority', async () => {
    const token = await server.token({ account: 'beta', user: 9, scopes: ['tasks:execute'] })
    const answer = await server.execute(
      {
        sourceCode: 'exit((await graphql("{ viewer { accountCode userId scopes } }")).data.viewer)',
        options: { current_user: { id: 1, account_code: 'demo', scopes: ['admin'] } },
      },
      { token },
    )
    expect(answer.body.task_execution.payload).toEqual({
      accountCode: 'beta',
      userId: '9',
      scopes: ['tasks:execute'],
    })
  })
})

describe('params and changed_fields', () => {
  test('are passed on as given', async () => {
    const given = { params: { a: { b: [1, null, 'c'] } }, changed_fields: { status: ['open', null] }, own: 5 }
    expect(await seeOptions(given)).toMatchObject(given)
  })

  test('changed_fields is null when absent', async () => {
    expect((await seeOptions({})).changed_fields).toBeNull()
  })
})

describe('requestContext', () => {
  const contextOf = async (
    options: unknown,
    sourceCode = 'exit([requestContext(), options.requestContext])',
  ) => (await server.execute<unknown[]>({ sourceCode, options })).body.task_execution

  test('is made by the service, the same for the script and in the answer', async () => {
    const run = await contextOf({})
    expect(run.request_context.txnID).toMatch(guid)
    expect(run.payload).toEqual([run.request_context, run.request_context])
  })

  test('with a GUID as txnID continues that transaction', async () => {
    const txnID = randomUUID()
    const run = await contextOf({
      requestContext: { txnID, txnSource: 'case|incident/save|2026-01-01T00:00:00.000Z' },
    })
    expect(run.request_context.txnID).toBe(txnID)
    expect(run.payload).toEqual([run.request_context, run.request_context])
    const bare = await contextOf({ requestContext: { txnID } })
    expect(bare.request_context.txnID).toBe(txnID)
  })

  test.each([[{ txnID: 'FORGED' }], [{ txnID: 5 }], [{}], ['text'], [null], [[1]]])(
    '%j starts a new transaction',
    async requestContext => {
      const run = await contextOf({ requestContext })
      expect(run.request_context.txnID).toMatch(guid)
      expect(run.request_context.txnSource).toMatch(/^endpoint\|/)
    },
  )

  test('cannot be changed by the script', async () => {
    const run = await contextOf({}, 'requestContext().txnID = "FORGED"; exit(requestContext())')
    expect(run.payload).toEqual(run.request_context)
    expect(run.request_context.txnID).toMatch(guid)
  })

  test('names trigger, case type, task and time', async () => {
    const before = Date.now()
    const answer = await server.execute({
      name: 'recalculate',
      sourceCode: 'exit(1)',
      metadata: { case_type_code: 'incident' },
    })
    const after = Date.now()
    const [trigger, task, time = ''] = answer.body.task_execution.request_context.txnSource.split('|')
    expect([trigger, task]).toEqual(['endpoint', 'incident/recalculate'])
    expect(new Date(time).toISOString()).toBe(time)
    expect([before, Date.parse(time), after].toSorted()).toEqual([before, Date.parse(time), after])
  })

  test('keeps its three parts, whatever a name holds', async () => {
    const answer = await server.execute({
      name: 'a|b\n|2020-01-01T00:00:00.000Z',
      sourceCode: 'exit(1)',
      metadata: { case_type_code: 'x|y' },
    })
    const { txnSource } = answer.body.task_execution.request_context
    expect(txnSource.split('|')).toHaveLength(3)
    expect(txnSource).not.toMatch(/[\r\n]/)
  })

  test('reaches a task that the script runs', async () => {
    const run = await contextOf(
      {},
      `const nested = await Platform.tasks.execute({ name: 'n', sourceCode: 'exit(requestContext().txnID)',
         inputDocument: '{}', options: JSON.stringify({ requestContext: requestContext() }) })
       const bare = await Platform.tasks.execute({ name: 'n', sourceCode: 'exit(requestContext().txnID)',
         inputDocument: '{}', options: '{}' })
       exit([nested.payload, bare.payload])`,
    )
    expect(run.payload).toEqual([run.request_context.txnID, run.request_context.txnID])
  })
})

describe('authorization', () => {
  test('from the body is discarded, and a token of the run is there instead', async () => {
    const seen = await seeOptions({ authorization: 'Bearer forged' })
    expect(seen.authorization).toMatch(/^Bearer \S{20,}$/)
    expect(seen.authorization).not.toContain('forged')
    expect(seen.authorization).not.toContain(server.adminToken)
  })
})
