import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../../server/gateways/start-server.ts'
import { until } from '../../../server/processes/until.ts'
import { startRawHost } from '../hosts/raw-host.ts'

test('the deadline of a run closes the connection of its call within a second', async () => {
  const host = await startRawHost(() => {})
  const server = await startServer({ ROSTRUM_GRAPHQL_HOSTS: host.host, ROSTRUM_TASK_TIMEOUT_MS: '3000' })
  onTestFinished(async () => {
    await server.stop()
    host.close()
  })
  const { body } = await server.execute(
    `await graphql('{ x }', {}, 'http://${host.host}/silent').catch(() => null)`,
  )
  expect(body.task_execution.error?.code).toBe('TIMEOUT')
  const ended = performance.now()
  await until(() => host.open() === 0)
  expect(performance.now() - ended).toBeLessThan(1_000)
})
