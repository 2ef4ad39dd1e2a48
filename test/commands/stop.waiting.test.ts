import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startServer } from '../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../server/gateways/start-upstream.ts'
import { findDescendants, findSurvivors } from '../server/processes/child-processes.ts'
import { spawnCommand } from '../server/processes/spawn-command.ts'
import { eachStore } from '../store/databases/each-store.ts'

test('SIGTERM during twenty stuck runs ends them all, and the gateway exits with 0 within 10 s', async () => {
  // Answers the first call of each run once all runs have begun: those that compute would slow down the start of the
  // others. Answers no later call.
  const held: ServerResponse[] = []
  const upstream = await startUpstream((_, response) => {
    if (held.push(response) === 20) for (const each of held) sendJson(each, { data: null })
  })
  const server = await startServer({
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    // One account holds five eighths of these.
    ROSTRUM_SANDBOXES: '32',
    ROSTRUM_TASK_TIMEOUT_MS: '60000',
    ROSTRUM_TASK_CPU_MS: '60000',
    ROSTRUM_QUEUE_WAIT_MS: '30000',
  })
  const call = `graphql('{ x }', {}, '${upstream.url}/')`
  const stuck = [
    `await ${call}; await ${call}`,
    `await ${call}; ${call}; for (;;);`,
    `await ${call}; ${call}; let x = 3n; for (;;) x = x ** 3n`,
    `await ${call}; await ${call}; exit(1)`,
  ]
  const runs = Array.from({ length: 20 }, (_, n) => server.execute(stuck[n % 4] ?? '').catch(() => 'cut'))
  while (upstream.requests.length < 40) await new Promise(resolve => setTimeout(resolve, 20))
  const children = findDescendants(server.pid)
  expect(children.length).toBeGreaterThanOrEqual(20)
  const begun = performance.now()
  expect(await server.stop()).toBe(0)
  expect(performance.now() - begun).toBeLessThan(11_500)
  expect(await findSurvivors(children, 1_000)).toEqual([])
  await Promise.all(runs)
  await upstream.close()
})

eachStore(({ freshUrl }) => {
  test('SIGTERM during the first start loses no token, and the gateway exits with 0', async () => {
    const preload = fileURLToPath(new URL('./end-at-listen.ts', import.meta.url))
    const settings = { PORT: '0', DATABASE_URL: await freshUrl() }
    const gateway = spawnCommand([], settings, preload)
    expect(await gateway.ended).toBe(0)
    expect(gateway.stderr()).toMatch(/^Rostrum serves on http:\/\/127\.0\.0\.1:[1-9]/)
    expect(gateway.stderr()).toContain('Its admin token, shown only once:')
  })
})
