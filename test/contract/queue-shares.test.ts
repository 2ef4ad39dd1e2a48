import { expect, onTestFinished, test } from 'vitest'
import { saveHook, startSandboxes } from '../http/save-hook.ts'
import { startApp } from '../http/start-app.ts'
import { startUpstream } from '../server/start-upstream.ts'
import { by } from '../store/origin.ts'
import { queuedRun } from '../store/queued-run.ts'

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
