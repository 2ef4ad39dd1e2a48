import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { startTasks, type TestTasks, wordOf } from './start-tasks.ts'

let tasks: TestTasks

afterEach(() => tasks.runner.close())

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo() && waited < 5_000; waited += 5) await sleep(5)
  expect(isSo()).toBe(true)
}

// Each thread has its own on Linux, and the session where the scheduler groups by sessions.
function nicenessOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`).map(thread => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  })
  return [...new Set([...threads, ...nicenessOfSession(pid)])]
}

function nicenessOfSession(pid: number): number[] {
  const read = (of: number | 'self') => readFileSync(`/proc/${of}/autogroup`, 'utf8').split(' ')
  if (!existsSync('/proc/self/autogroup')) return []
  const [group, , niceness] = read(pid)
  expect(group).not.toBe(read('self')[0])
  return [Number(niceness)]
}

test('a run that lasts is made up for: who comes next finds a sandbox ready', async () => {
  tasks = await startTasks({ ROSTRUM_SANDBOXES: '3', ROSTRUM_WARM_SANDBOXES: '1' })
  const before = tasks.runner.pids()
  expect(before).toHaveLength(1)
  const ended = new AbortController()
  const long = tasks.run("await graphql('hang')", { signal: ended.signal })
  await until(() => tasks.runner.pids().length === 2)
  ended.abort()
  expect(wordOf(await long)).toBe('CRASHED')
})

test('a long run that is killed has been made up for already', async () => {
  tasks = await startTasks({ ROSTRUM_SANDBOXES: '2', ROSTRUM_WARM_SANDBOXES: '1' })
  const [pid = 0] = tasks.runner.pids()
  const ended = new AbortController()
  const run = tasks.run("await graphql('hang')", { signal: ended.signal })
  await until(() => tasks.runner.pids().length === 2)
  const [, next = 0] = tasks.runner.pids()
  ended.abort()
  // In this very moment: the process cannot have gone yet.
  expect(tasks.runner.pids().slice(0, 2)).toEqual([pid, next])
  expect((await run).error?.code).toBe('CRASHED')
  await until(() => !tasks.runner.pids().includes(pid))
})

test('a run that computes for long does so behind the others, and its sandbox is itself again after it', async () => {
  tasks = await startTasks({ ROSTRUM_TASK_CPU_MS: '3000' })
  const [pid = 0] = tasks.runner.pids()
  await until(() => nicenessOf(pid).length === 1)
  const usual = nicenessOf(pid)
  const run = tasks.run('const end = Date.now() + 500; while (Date.now() < end); exit(1)')
  await until(() => nicenessOf(pid).every(niceness => niceness === 19))
  expect(wordOf(await run)).toBe('exit')
  // Without the right to raise a priority the sandbox is replaced instead.
  await until(() => tasks.runner.pids().some(now => nicenessOf(now).join() === usual.join()))
})
