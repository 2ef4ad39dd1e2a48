import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { saveHook } from '../http/rest/save-hook.ts'
import { startServer, type TestServer } from '../server/gateways/start-server.ts'
import { sendJson, startUpstream } from '../server/gateways/start-upstream.ts'
import { findDescendants, findSurvivors } from '../server/processes/child-processes.ts'
import { spawnCommand } from '../server/processes/spawn-command.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
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

test('saves whose hooks a stop cut off are done under their keys by the next gateway', async () => {
  let isHeld = true
  const upstream = await startUpstream((_, response) => isHeld || sendJson(response, { data: null }))
  const folder = makeTempFolder()
  const settings = {
    DATABASE_URL: `sqlite:${folder.path}/rostrum.db`,
    ROSTRUM_GRAPHQL_HOSTS: upstream.host,
    ROSTRUM_SANDBOXES: '32',
  }
  onTestFinished(async () => {
    await upstream.close()
    folder.remove()
  })
  const stopped = await startServer(settings)
  await saveHook(stopped, `await graphql('{ x }', {}, '${upstream.url}/'); exit(payload)`)
  const body = { case: { case_type_code: 'incident', data: {} } }
  const keys = Array.from({ length: 16 }, (_, n) => `key-${n}`)
  const save = (server: TestServer) => (key: string) =>
    server.rest('POST', '/platform/cases', { body, headers: { 'idempotency-key': key } })
  const cut = keys.map(key => save(stopped)(key).catch(() => 'cut'))
  while (upstream.requests.length < keys.length) await new Promise(resolve => setTimeout(resolve, 20))
  expect(await stopped.stop()).toBe(0)
  expect(new Set(await Promise.all(cut))).toEqual(new Set(['cut']))

  isHeld = false
  const next = await startServer(settings)
  onTestFinished(async () => void (await next.stop()))
  const answers = await Promise.all(keys.map(save(next)))
  expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 201))
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
