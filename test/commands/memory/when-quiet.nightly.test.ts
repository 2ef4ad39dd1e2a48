import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const source = new URL('../../../src/v8/when-quiet.ts', import.meta.url).href

// Loads when it is quiet, and prints what happened within five quiet seconds after some busy ones.
const program = `
  import { PerformanceObserver, constants } from 'node:perf_hooks'
  import { setTimeout as sleep } from 'node:timers/promises'
  const [source, busyMs] = process.argv.slice(1)
  const { loadWhenQuiet } = await import(source)
  let collections = 0
  new PerformanceObserver(list => {
    for (const { detail } of list.getEntries()) {
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections++
    }
  }).observe({ entryTypes: ['gc'] })
  let isLoaded = false
  loadWhenQuiet(async () => { isLoaded = true })
  const end = performance.now() + Number(busyMs)
  while (performance.now() < end) {
    for (const until = performance.now() + 50; performance.now() < until; );
    await sleep(1)
  }
  const isLoadedWhileBusy = isLoaded
  await sleep(5000)
  console.log(JSON.stringify({ isLoadedWhileBusy, isLoaded, isCollected: collections > 0 }))`

const runBusyFor = async (ms: number) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program, source, String(ms)],
    { env: {} },
  )
  return JSON.parse(stdout)
}

test.each([0, 700])('a process that has been busy for %i ms collects the garbage of its start', async ms => {
  expect(await runBusyFor(ms)).toEqual({ isLoadedWhileBusy: false, isLoaded: true, isCollected: true })
})

test('a process that has been busy for longer loads when it is quiet, and keeps its optimized code', async () => {
  expect(await runBusyFor(2_500)).toEqual({ isLoadedWhileBusy: false, isLoaded: true, isCollected: false })
})
