import { beforeAll, expect, test } from 'vitest'
import { saveHook } from '../../http/rest/save-hook.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../../server/gateways/start-upstream.ts'
import { findDescendants, findSurvivors } from '../../server/processes/child-processes.ts'
import { until } from '../../server/processes/until.ts'

let server: TestServer
let statusAfterSigusr1: number
let children: number[]
let inFlight: Awaited<ReturnType<TestServer['execute']>>
let exitCode: number | null

// One gateway gets both signals. When SIGTERM comes, a run that a caller waits for and a queued one are under way.
beforeAll(async () => {
  let letGo = () => {}
  const upstream = await startUpstream(({ path }, response) => {
    if (path === '/late') letGo = () => sendJson(response, { data: 'late' })
  })
  server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: upstream.host })

  process.kill(server.pid, 'SIGUSR1')
  await until(() => server.stdout().includes('SIGUSR1'))
  statusAfterSigusr1 = (await server.execute('exit(1)')).status

  await saveHook(server, `await graphql('{ x }', {}, '${upstream.url}/never')`, { event: 'post-save' })
  await server.rest('POST', '/platform/cases', { body: { case: { case_type_code: 'incident', data: {} } } })
  const running = server.execute(`exit((await graphql('{ x }', {}, '${upstream.url}/late')).data)`)
  await until(() => upstream.requests.length === 2)
  children = findDescendants(server.pid)

  const stopped = server.stop()
  const isRefused = () =>
    fetch(`${server.baseUrl}/health`).then(
      ({ status }) => status === 503,
      () => true,
    )
  await until(isRefused)
  letGo()
  inFlight = await running
  exitCode = await stopped
  await upstream.close()
})

test('SIGTERM refuses new work, lets a run in flight finish, leaves no child and exits 0', async () => {
  expect([inFlight.status, inFlight.body.task_execution.payload]).toEqual([200, 'late'])
  expect(exitCode).toBe(0)
  expect(children.length).toBeGreaterThan(0)
  expect(await findSurvivors(children, 60_000)).toEqual([])
})

test('a queued run that SIGTERM returns to its queue does not say that a caller disconnected', () => {
  expect(server.stdout()).toContain('The sandbox was ended because its gateway stopped')
  expect(server.stdout()).not.toContain('disconnected')
})

test('SIGUSR1 opens no debugger port in a serving gateway', () => {
  expect(statusAfterSigusr1).toBe(200)
  // A debugger says so on the standard error, from a thread of its own.
  expect(server.stderr()).not.toContain('Debugger')
})
