import { expect, test } from 'vitest'
import { startServer } from '../server/gateways/start-server.ts'
import { until } from '../server/processes/until.ts'

test('SIGUSR1 opens no debugger port in a serving gateway', async () => {
  const server = await startServer()
  process.kill(server.pid, 'SIGUSR1')
  await until(() => server.stdout().includes('SIGUSR1'))
  expect((await server.execute('exit(1)')).status).toBe(200)
  expect(await server.stop()).toBe(0)
  // A debugger says so on the standard error, from a thread of its own.
  expect(server.stderr()).not.toContain('Debugger')
})
