import { spawn } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { ComputingRuns } from '../../../src/scripts/resources/computing-runs.ts'
import { LongRun } from '../../../src/scripts/resources/long-run.ts'
import { until } from '../../server/processes/until.ts'

const ends: (() => unknown)[] = []

afterEach(() => {
  for (const end of ends.splice(0)) end()
})

const never = () => false

function watch(pid: number | undefined, { calls = { waitsForCalls: false }, recovers = never } = {}) {
  const checks = { count: 0 }
  const run = new LongRun({
    pid,
    computing: new ComputingRuns<LongRun>(),
    run: calls,
    recovers,
    onLong: () => undefined,
    onCheck: () => checks.count++,
  })
  ends.push(() => run.stop())
  return { run, checks }
}

test('a process that sleeps uses no processor time', async () => {
  const child = spawn('sleep', ['600'])
  ends.push(() => child.kill('SIGKILL'))
  const { run, checks } = watch(child.pid)
  await until(() => checks.count >= 5)
  expect(run.processorMs).toBe(0)
})

test('without a report of the system, all time counts but that in which the run waits', async () => {
  const calls = { waitsForCalls: false }
  const { run, checks } = watch(undefined, { calls })
  await until(() => checks.count >= 5)
  expect(run.processorMs).toBe(checks.count * 20)
  calls.waitsForCalls = true
  const { processorMs } = run
  const { count } = checks
  await until(() => checks.count >= count + 3)
  expect(run.processorMs).toBe(processorMs)
})

test('a run does not pay for the time in which its process recovers from the one before', async () => {
  const child = spawn(process.execPath, ['-e', 'for (;;);'])
  ends.push(() => child.kill('SIGKILL'))
  let recovers = true
  const { run, checks } = watch(child.pid, { recovers: () => recovers })
  await until(() => checks.count >= 10)
  expect(run.processorMs).toBe(0)
  recovers = false
  await until(() => run.processorMs > 0)
})
