import { expect, test } from 'vitest'
import { until } from '../../server/processes/until.ts'
import { ready, speakingCommand } from '../run/spoken-tasks.ts'
import { startPool } from './start-pool.ts'

// Longer than Linux allows for one value, so that Node throws E2BIG at once, as it throws ENOMEM.
const tooLong = 'x'.repeat(200_000)

test.each([
  ['throws at once', { TEXT: tooLong }],
  ['reports as an event', { PATH: '/none' }],
])('a start of a sandbox that fails with an error that Node %s is tried again', async (_, broken) => {
  const { args, ...rest } = speakingCommand({ atStart: [ready] })
  const env: Record<string, string> = { ...broken }
  const { pool, lines } = startPool({ command: { ...rest, args, file: 'node', env }, warm: 2, max: 2 })
  expect(pool.pids).toEqual([])
  await until(() => lines.length >= 3)
  expect(lines[2]).toMatchObject({ level: 50, attempt: 3, msg: 'a sandbox did not boot' })
  expect(pool.states).toEqual({ idle: 0, busy: 0, starting: 0 })

  delete env.TEXT
  env.PATH = process.env.PATH ?? ''
  await until(() => pool.states.idle === 2)
  expect(pool.pids).toHaveLength(2)
})
