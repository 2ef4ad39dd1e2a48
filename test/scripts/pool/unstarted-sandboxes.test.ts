import { expect, test } from 'vitest'
import { until } from '../../server/processes/until.ts'
import { ready, speakingCommand } from '../run/spoken-tasks.ts'
import { startPool } from './start-pool.ts'

// Longer than Linux allows for one value, so that Node throws E2BIG at once, as it throws ENOMEM.
const tooLong = 'x'.repeat(200_000)

test.each([
  ['throws at once', { TEXT: tooLong }, 'spawn E2BIG'],
  ['reports as an event', { PATH: '/none' }, 'spawn node ENOENT'],
])('a sandbox with a start that fails as Node %s is logged and tried again', async (_, broken, reason) => {
  const env: Record<string, string> = { ...broken }
  const command = { ...speakingCommand({ atStart: [ready] }), file: 'node', env }
  const { pool, lines } = startPool({ command, warm: 2, max: 2 })
  expect(pool.pids).toEqual([])
  await until(() => lines.length >= 3)
  expect(lines[2]).toMatchObject({ level: 50, reason, attempt: 3, msg: 'a sandbox did not boot' })
  expect(pool.states).toEqual({ idle: 0, busy: 0, starting: 0 })

  delete env.TEXT
  env.PATH = process.env.PATH ?? ''
  await until(() => pool.states.idle === 2)
  expect(pool.pids).toHaveLength(2)
})
