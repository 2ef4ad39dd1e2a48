import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../server/gateways/start-server.ts'
import { startUpstream } from '../../server/gateways/start-upstream.ts'
import { findDescendants, findSurvivors } from '../../server/processes/child-processes.ts'

// One after another, while the gateway of the last test only waits.
const one = { concurrent: false }

describe.concurrent('a gateway that is stopped', () => {
  test('SIGTERM with nothing in flight exits 0 within a second or two', one, async () => {
    const server = await startServer()
    await server.execute('exit(1)')
    const started = performance.now()
    expect(await server.stop()).toBe(0)
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('SIGTERM does not wait for an idle client that keeps its connection', one, async () => {
    const server = await startServer()
    await Promise.all(Array.from({ length: 5 }, () => server.rest('GET', '/health')))
    const started = performance.now()
    expect(await server.stop()).toBe(0)
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test.each([
    ['is idle', ''],
    ['burns in a native loop', 'let x = 3n; for (;;) x = x ** 3n'],
  ])('no child outlives a killed gateway by a second when it %s', one, async (_, sourceCode) => {
    const server = await startServer({ ROSTRUM_TASK_CPU_MS: '60000', ROSTRUM_TASK_TIMEOUT_MS: '60000' })
    if (sourceCode !== '') server.execute(sourceCode).catch(() => undefined)
    await sleep(400)
    const children = findDescendants(server.pid)
    expect(children.length).toBeGreaterThan(0)
    await server.kill()
    expect(await findSurvivors(children, 1_000)).toEqual([])
  })
})

test.concurrent('SIGTERM waits 10 s at most for what does not finish', async () => {
  const upstream = await startUpstream(() => undefined)
  const server = await startServer({
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    ROSTRUM_TASK_TIMEOUT_MS: '60000',
  })
  const hung = server.execute(`await graphql('{ x }', {}, '${upstream.url}/')`).catch(() => 'cut')
  while (upstream.requests.length === 0) await sleep(10)
  const children = findDescendants(server.pid)
  const started = performance.now()
  expect(await server.stop()).toBe(0)
  expect(performance.now() - started).toBeGreaterThan(8_000)
  expect(performance.now() - started).toBeLessThan(13_000)
  expect(await findSurvivors(children, 1_000)).toEqual([])
  await hung
  expect(server.stdout()).toContain('The sandbox was ended because its gateway stopped')
  await upstream.close()
})
