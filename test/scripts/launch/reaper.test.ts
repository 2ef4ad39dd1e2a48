import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { Reaper } from '../../../src/scripts/launch/reaper.ts'
import { findDescendants, findSurvivors } from '../../server/processes/child-processes.ts'
import { until } from '../../server/processes/until.ts'

const startSleep = () => spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
const startDetached = () => startSleep().pid ?? 0

test('kills the sandboxes of the last list when its input ends, and no others', async () => {
  const [gone, first, second] = [startDetached(), startDetached(), startDetached()]
  const reaper = new Reaper(() => undefined)
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

// Has no file descriptor left when it calls `watch`, twice. Prints what failed, and a line for each SIGUSR2.
const crowdedGateway = `
  const { openSync, closeSync } = await import('node:fs')
  const [module, pid] = process.argv.slice(1)
  const { Reaper } = await import(module)
  const files = []
  const reaper = new Reaper(reason => {
    for (const file of files) closeSync(file)
    console.log(reason)
  })
  process.on('SIGUSR2', () => console.log('begins another turn'))
  setInterval(() => undefined, 60_000)
  try {
    for (;;) files.push(openSync('/dev/null'))
  } catch {}
  reaper.watch([Number(pid)])
  reaper.watch([Number(pid)])`

test('that could not be started is started later, without another list', async () => {
  const sandbox = startSleep()
  const limited = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath]
  const module = new URL('../../../src/scripts/launch/reaper.ts', import.meta.url).href
  const gateway = spawn(
    'sh',
    [...limited, '--input-type=module', '-e', crowdedGateway, module, `${sandbox.pid}`],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  try {
    const [printed] = await once(gateway.stdout, 'data')
    expect(String(printed)).toBe(`spawn ${process.execPath} EMFILE\n`)
    await until(() => findDescendants(gateway.pid ?? 0).length > 0)
    // The turn that started the reaper also wrote the list.
    gateway.kill('SIGUSR2')
    await once(gateway.stdout, 'data')
    gateway.kill('SIGKILL')
    expect(await findSurvivors([sandbox.pid ?? 0])).toEqual([])
  } finally {
    gateway.kill('SIGKILL')
    sandbox.kill('SIGKILL')
  }
})
