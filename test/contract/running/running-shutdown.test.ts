import { expect, test } from 'vitest'
import { startServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../../server/gateways/start-upstream.ts'
import { findDescendants, findSurvivors } from '../../server/processes/child-processes.ts'
import { until } from '../../server/processes/until.ts'

test('SIGTERM lets a run in flight finish, refuses new work, leaves no child and exits 0', async () => {
  let letGo = () => {}
  const upstream = await startUpstream((_, response) => {
    letGo = () => sendJson(response, { data: 'late' })
  })
  const server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: upstream.host })
  const children = findDescendants(server.pid)
  expect(children.length).toBeGreaterThan(0)
  const inFlight = server.execute(`exit((await graphql('{ x }', {}, '${upstream.url}/')).data)`)
  await until(() => upstream.requests.length > 0)

  const stopped = server.stop()
  const isRefused = () =>
    fetch(`${server.baseUrl}/health`).then(
      ({ status }) => status === 503,
      () => true,
    )
  await until(isRefused)
  letGo()
  const answer = await inFlight
  expect([answer.status, answer.body.task_execution.payload]).toEqual([200, 'late'])
  expect(await stopped).toBe(0)
  expect(await findSurvivors(children, 60_000)).toEqual([])
  await upstream.close()
})

test('a queued run that SIGTERM returns to its queue does not say that a caller disconnected', async () => {
  const upstream = await startUpstream(() => undefined)
  const server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: upstream.host })
  const sourceCode = `await graphql('{ x }', {}, '${upstream.url}/')`
  for (const [mutation, input] of [
    ['saveFunction', { name: 'hang', sourceCode }],
    ['saveHook', { caseTypeCode: 'incident', event: 'POST_SAVE', functionName: 'hang' }],
  ] as const) {
    const type = `S${mutation.slice(1)}Input`
    await server.graphql(`mutation ($input: ${type}!) { ${mutation}(input: $input) { id } }`, { input })
  }
  await server.rest('POST', '/platform/cases', { body: { case: { case_type_code: 'incident', data: {} } } })
  await until(() => upstream.requests.length > 0)
  expect(await server.stop()).toBe(0)
  expect(server.stdout()).toContain('The sandbox was ended because its gateway stopped')
  expect(server.stdout()).not.toContain('disconnected')
  await upstream.close()
})
