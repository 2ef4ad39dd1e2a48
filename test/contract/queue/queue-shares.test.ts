import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../http/edge/start-app.ts'
import { saveHook, startSandboxes } from '../../http/rest/save-hook.ts'
import { sendJson, startUpstream } from '../../server/gateways/start-upstream.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { by } from '../../store/databases/origin.ts'
import { holdLocks } from '../../store/postgres/locks/hold-locks.ts'
import { queuedRun } from '../../store/runs/queued-run.ts'

test("a queued run is served while another account's queued runs hold all they may", async () => {
  // Runs that wait for this host hold their sandboxes longer than the test lasts. Queued runs share two of four.
  const hanging = await startUpstream(() => undefined)
  onTestFinished(() => hanging.close())
  const app = await startApp({ ROSTRUM_SANDBOXES: '4', ROSTRUM_GRAPHQL_HOSTS: hanging.host })
  onTestFinished(() => app.close())
  await startSandboxes(app)
  const neighbour = await app.issueToken('neighbour')
  await saveHook(app, `await graphql('{ x }', {}, '${hanging.url}'); exit(1)`, { event: 'post-save' })
  const ofNeighbour = {
    graphql: (query: string, variables: Record<string, unknown>) => app.graphql(query, variables, neighbour),
  }
  await saveHook(ofNeighbour, 'exit(null)', { event: 'post-save' })
  const { queue } = app.app.store
  await queue.enqueue(
    by('demo'),
    Array.from({ length: 20 }, (_, caseId) => queuedRun({ caseId })),
  )
  const held = () => hanging.requests.length
  await expect.poll(held, { timeout: 30_000 }).toBe(1)
  const body = { case: { case_type_code: 'incident', data: {} } }
  for (let save = 0; save < 3; save++) {
    await app.send('/platform/cases', { method: 'POST', token: neighbour, body })
    const waiting = async () => (await queue.list('neighbour', null, 0, 1)).length
    await expect.poll(waiting, { timeout: 30_000 }).toBe(0)
  }
  expect(held()).toBe(1)
})

test('an end that waits for the locked queue of its account holds up no run of another account', async () => {
  const answered = Promise.withResolvers<void>()
  const slow = await startUpstream(async (_, response) => {
    await answered.promise
    sendJson(response, { data: {} })
  })
  onTestFinished(() => slow.close())
  const url = await createDatabase()
  const app = await startApp({ DATABASE_URL: url, ROSTRUM_GRAPHQL_HOSTS: slow.host })
  onTestFinished(() => app.close())
  await startSandboxes(app)
  const neighbour = await app.issueToken('neighbour')
  await saveHook(app, `await graphql('{ x }', {}, '${slow.url}'); exit(1)`, { event: 'post-save' })
  const ofNeighbour = {
    graphql: (query: string, variables: Record<string, unknown>) => app.graphql(query, variables, neighbour),
  }
  await saveHook(ofNeighbour, 'exit(null)', { event: 'post-save' })
  const { queue } = app.app.store
  await queue.enqueue(by('demo'), [queuedRun()])
  await expect.poll(() => slow.requests.length, { timeout: 30_000 }).toBe(1)

  const lock = await holdLocks(url, `select from queue_accounts where account_code = 'demo' for update`)
  answered.resolve()
  await lock.untilAwaited()
  const body = { case: { case_type_code: 'incident', data: {} } }
  await app.send('/platform/cases', { method: 'POST', token: neighbour, body })
  const left = async (accountCode: string) => (await queue.list(accountCode, null, 0, 1)).length
  await expect.poll(() => left('neighbour'), { timeout: 30_000 }).toBe(0)
  // The end still waits: the store has not refused it.
  expect(app.logLines.filter(line => line.includes('the work on queued runs failed'))).toEqual([])
  await lock.commit()
  await expect.poll(() => left('demo'), { timeout: 30_000 }).toBe(0)
})
