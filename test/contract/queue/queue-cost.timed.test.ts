import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../http/edge/start-app.ts'
import { saveHook, startSandboxes } from '../../http/rest/save-hook.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { by } from '../../store/databases/origin.ts'
import { writeRows } from '../../store/databases/write-rows.ts'
import { queuedRun } from '../../store/runs/queued-run.ts'

const count = 400
// A commit for each run, with a claim before it, would be 13. About 2 on a quiet machine.
const maxStatements = 6

const isOfTest = /^select "queued_runs"."id", "queued_runs"."state"/

test.each([
  ['SQLite', null],
  ['PostgreSQL', createDatabase],
])(`on %s, each of ${count} short runs costs at most ${maxStatements} statements`, async (_, findUrl) => {
  const app = await startApp(findUrl === null ? {} : { DATABASE_URL: await findUrl() })
  onTestFinished(() => app.close())
  await startSandboxes(app)
  await saveHook(app, 'exit(null)', { event: 'post-save' })
  const { queue } = app.app.store
  const whenEmpty = () =>
    expect.poll(() => queue.list('demo', null, 0, 1), { timeout: 60_000, interval: 20 }).toEqual([])
  const run = async () => {
    const runs = Array.from({ length: count }, (_, index) => queuedRun({ caseId: index }))
    await queue.enqueue(by('demo'), runs)
    app.statements.length = 0
    await whenEmpty()
  }
  await run()
  await run()
  const statements = app.statements.filter(text => !isOfTest.test(text.trim()))
  const each = statements.length / count
  console.info(`${each.toFixed(2)} statements for each run`)
  expect(each).toBeLessThan(maxStatements)
})

// About 50 ms on a quiet machine. Without the list first, each run would read the whole list: 35 s.
const maxRetryMs = 1_500

test('a retry of 1,000 of 10,000 dead runs is short', async () => {
  const folder = makeTempFolder()
  const url = `sqlite:${folder.path}/rostrum.db`
  const app = await startApp({ DATABASE_URL: url })
  onTestFinished(async () => {
    await app.close()
    folder.remove()
  })
  const { queue } = app.app.store
  for (let count = 0; count < 10_000; count += 1_000) {
    const runs = Array.from({ length: 1_000 }, (_, index) => queuedRun({ caseId: count + index }))
    await queue.enqueue(by('demo'), runs)
  }
  await writeRows(url, `update queued_runs set state = 'dead', lane = null, claim_at = null`)
  await writeRows(url, 'update queue_accounts set waiting = 0')
  const startedAt = performance.now()
  expect(await queue.retryDead(by('demo'), { of: { trigger: 'hook', triggerId: 1 }, limit: 1_000 })).toBe(
    1_000,
  )
  const ms = performance.now() - startedAt
  console.info(`${ms.toFixed(0)} ms`)
  expect(ms).toBeLessThan(maxRetryMs)
})
