import { beforeAll, describe, expect, test } from 'vitest'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'

let server: SharedServer

beforeAll(async () => {
  server = await shareServer()
})

const run = async (sourceCode: string, inputDocument: unknown = {}) =>
  (await server.execute<unknown>({ sourceCode, inputDocument })).body.task_execution

describe('what `exit` cannot carry', () => {
  test('is named by its path, a BigInt in an object of its own included', async () => {
    const { error } = await run('exit({ list: [1, Object(1n)] })')
    expect(error).toMatchObject({ code: 'RESULT', message: expect.stringContaining('`$.list[1]`') })
  })

  test('is past the limit where V8 cannot even write it', async () => {
    const { error } = await run('exit(new Array(4294967295))')
    expect(error?.code).toBe('LIMIT')
  })
})

describe('Platform', () => {
  test.each([
    ['move(1, { user_id: null })', '`user_id`'],
    ['add({ user_id: 71, team_id: null })', '`team_id`'],
    ['add({ team_id: 3 })', '`user_id`'],
  ])('%s is refused in the names that the script used', async (call, name) => {
    const { payload } = await run(
      `exit(await Platform.teamMemberships.${call}.then(() => null, error => error.message))`,
    )
    expect(payload).toContain(name)
  })

  test('takes the metadata of a task by the bracketed keys as well', async () => {
    const { payload } = await run(`const { request_context } = await Platform.tasks.execute({
      name: 'inner', sourceCode: 'exit()', inputDocument: {}, 'metadata[case_type_code]': 'incident',
      options: { requestContext: { txnID: generateGuid() } } })
      exit(request_context.txnSource)`)
    expect(payload).toMatch(/^endpoint\|incident\/inner\|/)
  })
})

test('a form whose bytes are not UTF-8 is refused, and none of it is run', async () => {
  const body = 'name=f&sourceCode=exit(payload)&inputDocument=%22%FF%22&options=%7B%7D'
  const answer = await fetch(`${server.baseUrl}/api/1/endpoint/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.adminToken}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body,
  })
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('UTF-8')
})
