import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { Reaper } from '../../../src/scripts/launch/reaper.ts'
import { findSurvivors } from '../../server/processes/child-processes.ts'

function startDetached(): number {
  return spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).pid ?? 0
}

test('kills the sandboxes of the last list when its input ends, and no others', async () => {
  const [gone, first, second] = [startDetached(), startDetached(), startDetached()]
  const reaper = new Reaper()
  try {
    reaper.watch([gone])
    reaper.watch([first, second])
    reaper.close()
    expect(await findSurvivors([first, second])).toEqual([])
    expect(await findSurvivors([gone], 40)).toEqual([gone])
  } finally {
    process.kill(gone, 'SIGKILL')
  }
})
