import { expect, onTestFinished, test } from 'vitest'
import { RostrumError } from '../../src/errors.ts'
import { Counts } from '../../src/metrics/counts.ts'
import { answerOrHang, startTasks } from '../scripts/run/start-tasks.ts'
import { signalAll } from '../server/processes/child-processes.ts'

test('a run that has begun counts once, also if it rejects after its script', async () => {
  const counts = new Counts([])
  const tasks = await startTasks({}, answerOrHang, counts)
  onTestFinished(() => tasks.runner.close())
  const gone = new RostrumError('UNAVAILABLE', 'The store is gone.')
  const rejecting = (error: Error) =>
    tasks
      .run('exit(1)', { input: { checkExit: () => Promise.reject(error) } })
      .catch((reason: unknown) => reason)
  expect(await rejecting(gone)).toBe(gone)
  await rejecting(new TypeError('a bug'))
  expect((await tasks.run('exit(1)')).payload).toBe(1)
  const counted = [...counts.runs.values()].map(({ run, count }) => [run.outcome, run.code, count])
  expect(counted).toEqual([
    ['error', 'UNAVAILABLE', 1],
    ['error', 'INTERNAL', 1],
    ['exit', '', 1],
  ])
  expect(counts.runDurations.get('endpoint')?.read().count).toBe(3)
})

test('a run that is refused before it has a sandbox is no run', async () => {
  const counts = new Counts([])
  const tasks = await startTasks({}, answerOrHang, counts)
  onTestFinished(() => tasks.runner.close())
  await expect(tasks.run('exit(1)', { signal: AbortSignal.abort() })).rejects.toThrow()
  expect(counts.runs.size).toBe(0)
})

test('a run whose sandbox dies before it begins is no run if it then gets no other sandbox', async () => {
  const counts = new Counts([])
  const tasks = await startTasks({ ROSTRUM_QUEUE_WAIT_MS: '200' }, answerOrHang, counts)
  onTestFinished(() => tasks.runner.close())
  const killing = setInterval(() => signalAll(tasks.runner.pids(), 'SIGKILL'), 5)
  onTestFinished(() => clearInterval(killing))
  signalAll(tasks.runner.pids(), 'SIGSTOP')
  await expect(tasks.run('exit(1)')).rejects.toMatchObject({ code: 'OVERLOADED' })
  expect(counts.runs.size).toBe(0)
})

test('a run whose caller disconnects while its result is checked counts as crashed', async () => {
  const counts = new Counts([])
  const tasks = await startTasks({}, answerOrHang, counts)
  onTestFinished(() => tasks.runner.close())
  const caller = new AbortController()
  const checkExit = async () => {
    caller.abort(new Error('gone'))
    throw caller.signal.reason
  }
  const { error } = await tasks.run('exit(1)', { signal: caller.signal, input: { checkExit } })
  expect(error?.code).toBe('CRASHED')
  expect([...counts.runs.values()].map(({ run }) => run.code)).toEqual(['CRASHED'])
})
