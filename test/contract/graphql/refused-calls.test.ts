import { beforeAll, describe, expect, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import { saveTask } from '../../http/rest/save-task.ts'
import { deliver, saveWebhook, signStandard } from '../../server/clients/webhooks.ts'
import { type SharedServer, shareServer } from '../../server/gateways/share-server.ts'
import { until } from '../../server/processes/until.ts'

let server: SharedServer
beforeAll(async () => {
  server = await shareServer()
})

const readMembership = 'const { data } = await graphql("{ teamMembership(id: 1) { id } }")'
const forgetful = `${readMembership}; exit(data.teamMembership.id.length)`
const hintOf = (trigger: string) =>
  `\`graphql()\` was refused: the ${trigger} lacks the scope \`memberships:read\`. ` +
  `Add it to the ${trigger}'s \`scopes\`.`

async function createCase(caseTypeCode: string) {
  const { body } = await server.rest<{ case: { id: number } }>('POST', '/platform/cases', {
    body: { case: { case_type_code: caseTypeCode, data: { a: 1 } } },
  })
  return body.case.id
}

describe('a run that fails after one of its calls was refused', () => {
  test('names the scope that the hook lacks, in the error of the save', async () => {
    await saveHook(server, forgetful, { caseTypeCode: 'hinted' })
    const { status, body } = await server.rest<{ error: object }>('POST', '/platform/cases', {
      body: { case: { case_type_code: 'hinted', data: {} } },
    })
    expect(status).toBe(422)
    expect(body.error).toMatchObject({
      code: 'RUNTIME',
      message: expect.stringContaining('null'),
      hint: hintOf('hook'),
    })
  })

  test('names the scope that the task lacks, over REST', async () => {
    const id = await createCase('hinted-task')
    await saveTask(server, forgetful, { caseTypeCode: 'hinted-task', name: 'read' })
    const { body } = await server.rest<{ task_execution: { error: object } }>(
      'POST',
      `/api/1/case/${id}/task/read`,
      { body: {} },
    )
    expect(body.task_execution.error).toMatchObject({ code: 'RUNTIME', hint: hintOf('task') })
  })

  test('names the scope that the webhook lacks, in the last error of the queued run', async () => {
    const webhook = await saveWebhook(server, {
      name: 'hinted',
      sourceCode: forgetful,
      mode: 'QUEUED',
      account: server.account,
    })
    const body = '{}'
    await deliver(server, webhook.path, { body, headers: signStandard({ secret: webhook.secret, body }) })
    const query = '{ queuedRuns { nodes { webhook { name } lastError { code hint } } } }'
    await until(async () => {
      const { body } = await server.graphql<{
        queuedRuns: { nodes: { lastError: { hint: string } | null }[] }
      }>(query)
      return (
        body.data?.queuedRuns.nodes.some(({ lastError }) => lastError?.hint === hintOf('webhook')) ?? false
      )
    })
  })

  test('speaks of the credential where no trigger runs it', async () => {
    const token = await server.token({ account: server.account, scopes: ['tasks:execute'] })
    const { body } = await server.execute(forgetful, { token })
    expect(body.task_execution.error).toMatchObject({
      code: 'RUNTIME',
      hint:
        '`graphql()` was refused: this credential lacks the scope `memberships:read`, which `Query.teamMembership` ' +
        'needs; use one that has it.',
    })
  })

  test('names the first refusal of several, also of one that rejected', async () => {
    const { body } = await server.execute(`
      await graphql('{ x }', {}, 'https://example.com/').catch(() => null)
      await graphql('mutation { removeTeamMembership(id: 999999) { id } }')
      null.x`)
    expect(body.task_execution.error).toMatchObject({
      hint:
        '`graphql()` was refused: `example.com` is not on the list of hosts that scripts may reach. ' +
        'Ask the operator to add it to `ROSTRUM_GRAPHQL_HOSTS`.',
    })
  })

  test('keeps the words of a syntax error', async () => {
    const { body } = await server.execute(`await graphql('{').catch(() => null); null.x`)
    expect(body.task_execution.error?.hint).toContain('was refused: Syntax Error: ')
  })

  test('cuts the hint of a long refusal', async () => {
    const { body } = await server.execute(
      `await graphql('{ ' + 'x'.repeat(5_000) + ' }').catch(() => null); null.x`,
    )
    expect(body.task_execution.error?.hint).toHaveLength(1_000)
  })
})

describe('a run has no hint', () => {
  test.each([
    ['that no call was refused', `await graphql('{ viewer { accountCode } }'); null.x`, 'RUNTIME'],
    [
      'that ended by another error',
      `await graphql('{ nothing }'); await new Promise(() => {})`,
      'NO_OUTCOME',
    ],
  ])('%s', async (_, sourceCode, code) => {
    const { body } = await server.execute(sourceCode)
    expect(body.task_execution.error).toMatchObject({ code, hint: null })
  })

  test('that ended well after a refusal', async () => {
    const { body } = await server.execute(`exit((await graphql('{ nothing }')).errors.length)`)
    expect(body.task_execution).toMatchObject({ outcome: 'exit', payload: 1, error: null })
  })
})
