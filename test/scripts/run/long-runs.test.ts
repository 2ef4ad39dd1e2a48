import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { until } from '../../server/processes/until.ts'
import { startTasks, type TestTasks, wordOf } from './start-tasks.ts'

let tasks: TestTasks

afterEach(() => tasks.runner.close())

// On Linux each thread has its own niceness, and so has the session if the scheduler groups by session.
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

test('a long run gets a replacement sandbox, so that the next run finds one ready', async () => {
  tasks = await startTasks({ ROSTRUM_SANDBOXES: '3', ROSTRUM_WARM_SANDBOXES: '1' })
  const before = tasks.runner.pids()
  expect(before).toHaveLength(1)
  const ended = new AbortController()
  const long = tasks.run("await graphql('hang')", { signal: ended.signal })
  await until(() => tasks.runner.pids().length === 2)
  ended.abort()
  expect(wordOf(await long)).toBe('CRASHED')
})

test('a long run that is killed already has a replacement', async () => {
  tasks = await startTasks({ ROSTRUM_SANDBOXES: '2', ROSTRUM_WARM_SANDBOXES: '1' })
  const [pid = 0] = tasks.runner.pids()
  const ended = new AbortController()
  const run = tasks.run("await graphql('hang')", { signal: ended.signal })
  await until(() => tasks.runner.pids().length === 2)
  const [, next = 0] = tasks.runner.pids()
  ended.abort()
  // Checked at once, before the process can be gone.
  expect(tasks.runner.pids().slice(0, 2)).toEqual([pid, next])
  expect((await run).error?.code).toBe('CRASHED')
  await until(() => !tasks.runner.pids().includes(pid))
})

test('of the runs that compute for long, enough yield to leave a processor for the others', async () => {
  let isOver = false
  const keeping = Math.max(1, availableParallelism() - 1)
  const max = String(keeping + 1)
  tasks = await startTasks(
    {
      ROSTRUM_SANDBOXES: max,
      ROSTRUM_WARM_SANDBOXES: max,
      ROSTRUM_TASK_CPU_MS: '60000',
      ROSTRUM_TASK_GRAPHQL_CALLS: '100000',
    },
    async () => ({ status: 200, body: { data: isOver } }),
  )
  const { runner, run } = tasks
  const all = () => runner.pids().flatMap(nicenessOf).toSorted()
  await until(() => runner.pids().length === keeping + 1 && new Set(all()).size === 1)
  const [usual] = all()
  const compute = `while (!(await graphql('over')).data) for (let i = 0; i < 1e6; i++); exit(1)`
  const runs = Array.from({ length: keeping + 1 }, (_, index) => run(compute, { account: `a${index}` }))
  const yielding = () => runner.pids().filter(pid => nicenessOf(pid).every(niceness => niceness === 19))
  await until(() => yielding().length === 1)
  isOver = true
  expect((await Promise.all(runs)).map(wordOf)).toEqual(runs.map(() => 'exit'))
  // Without the privilege to raise a priority, the sandbox is replaced instead.
  await until(() => runner.pids().length === keeping + 1 && all().every(niceness => niceness === usual))
})
