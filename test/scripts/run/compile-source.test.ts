import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { exitLine, line, type Speech, startSpokenTasks } from './spoken-tasks.ts'

const begun = line({ type: 'begun', run: '<run>' })

function start(speech: Speech) {
  const { pool, compile } = startSpokenTasks({ speech, settings: { ROSTRUM_QUEUE_WAIT_MS: '60000' } })
  onTestFinished(() => pool.close())
  return compile
}

test('a source whose sandbox dies is compiled by another one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const compile = start({ onRun: [begun, { exitOnce: join(folder, 'died') }, exitLine()] })
  expect(await compile()).toBe(null)
})

test('a source that ends two sandboxes does not compile', async () => {
  const compile = start({ onRun: [begun, { exit: 3 }] })
  expect(await compile()).toMatchObject({ code: 'CRASHED', message: 'The sandbox exited with code 3' })
})

test('a sandbox that logs while it compiles a source is killed', async () => {
  const log = line({ type: 'log', run: '<run>', level: 'info', data: '[1]' })
  const compile = start({ onRun: [begun, log, exitLine()] })
  expect(await compile()).toMatchObject({ code: 'CRASHED', message: 'The sandbox logged past the limits' })
})
