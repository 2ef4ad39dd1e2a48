import { expect, onTestFinished, test } from 'vitest'
import { saveHook, startSandboxes } from '../http/save-hook.ts'
import { startApp } from '../http/start-app.ts'
import { createDatabase } from '../store/create-database.ts'
import { by } from '../store/origin.ts'
import { queuedRun } from '../store/queued-run.ts'

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
