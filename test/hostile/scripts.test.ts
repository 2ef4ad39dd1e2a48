import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSurvivors } from '../server/child-processes.ts'
import { logged, startTasks, type TestTasks, wordOf } from '../tasks/start-tasks.ts'

// A script to add: its first line names the attack, its second how the run may end (`// ends: TIMEOUT MEMORY`), and it logs
// 'before' before it attacks.
const folder = new URL('scripts/', import.meta.url)

interface HostileScript {
  readonly file: string
  readonly attack: string
  readonly ends: string[]
  readonly source: string
}

function readScript(file: string): HostileScript {
  const source = readFileSync(new URL(file, folder), 'utf8')
  const [, attack, ends] = /^\/\/ (.+)\n\/\/ ends: (.+)\n/.exec(source) ?? []
  if (attack === undefined || ends === undefined) throw new Error(`${file} has no header`)
  return { file, attack, ends: ends.split(' '), source }
}

const scripts = readdirSync(folder)
  .filter(name => name.endsWith('.js'))
  .map(readScript)

const timeoutMs = 2_000
let tasks: TestTasks

beforeAll(async () => {
  tasks = await startTasks({
    ROSTRUM_TASK_TIMEOUT_MS: String(timeoutMs),
    ROSTRUM_TASK_CPU_MS: '200',
    ROSTRUM_TASK_MEMORY_MB: '32',
    ROSTRUM_QUEUE_WAIT_MS: '10000',
  })
})
afterAll(() => tasks.runner.close())

const deadly = ['TIMEOUT', 'MEMORY', 'CRASHED']

test.each(scripts)('$file: $attack', async ({ ends, source }) => {
  const before = tasks.runner.pids()
  const started = performance.now()
  const execution = await tasks.run(source)

  expect(ends).toContain(wordOf(execution))
  expect(performance.now() - started).toBeLessThan(timeoutMs + 1_500)
  expect(execution.logs[0]?.data).toEqual(['before'])
  if (execution.error !== null)
    expect(execution).toMatchObject({ outcome: 'error', payload: null, message: null })
  expect(JSON.stringify(execution)).not.toMatch(/rostrum:realm|isolated-vm|node_modules|\.ts\b|file:/)
  if (deadly.includes(wordOf(execution))) expect(await findSurvivors(before, 500)).toEqual([])

  const next = performance.now()
  const after = await tasks.run("log('ready'); exit('next')")
  expect([after.payload, logged(after)]).toEqual(['next', [['ready']]])
  expect(performance.now() - next).toBeLessThan(2_000)
})
