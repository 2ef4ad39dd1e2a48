import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startGenerator } from '../../bench/load/start-generator.ts'
import { makeSeed } from '../../bench/servers/seed.ts'
import { startRostrum } from '../../bench/servers/server-process.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

// V8 prints each collection on standard output. It decides where to allocate after a collection of all garbage.
const collecting = `
  import { setFlagsFromString } from 'node:v8'
  import { runInNewContext } from 'node:vm'
  setFlagsFromString('--trace-gc')
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  process.on('SIGUSR2', () => gc())`

const megabytes = /Scavenge ([\d.]+) \([\d.]+\) -> ([\d.]+) /g

// Returns how many megabytes the heap has grown from one collection of young objects to the next, in order of size.
function growthsIn(log: string): number[] {
  const after = [...log.matchAll(megabytes)].map(([, , left]) => Number(left))
  return after
    .slice(1)
    .map((left, index) => left - (after[index] ?? 0))
    .toSorted((a, b) => a - b)
}

// V8 does so in a part of the processes only.
test.each([1, 2, 3, 4, 5, 6])(
  'the objects of a request do not outlive it, in process %i',
  async () => {
    const folder = makeTempFolder()
    onTestFinished(() => folder.remove())
    const seed = await makeSeed(folder.path)
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(collecting)}`
    const server = await startRostrum({ folder: folder.path, seed, name: 'own', settings: { NODE_OPTIONS } })
    onTestFinished(() => server.stop())
    const generator = startGenerator()
    onTestFinished(() => generator.stop())
    const read = (seconds: number) => {
      const load = { traffic: 'restRead', connections: 64, token: seed.token } as const
      return generator.run({ ...load, ports: [server.port], from: 1_000, seconds })
    }
    await read(2)
    for (let times = 0; times < 8; times++) {
      const reading = read(0.5)
      await sleep(150)
      process.kill(server.pid, 'SIGUSR2')
      await reading
    }
    const path = join(folder.path, 'own.log')
    const { length } = readFileSync(path)
    await read(2)
    const growths = growthsIn(readFileSync(path).subarray(length).toString())
    expect(growths.length).toBeGreaterThan(10)
    // Of some 20 MB that were allocated in between. It was 6 where V8 allocated objects of requests as old ones.
    expect(growths[growths.length >> 1]).toBeLessThan(2)
  },
  60_000,
)
