import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../server/gateways/start-server.ts'

// V8 prints each collection on standard output.
const trace = "import v8 from 'node:v8'; v8.setFlagsFromString('--trace-gc')"

test('a gateway without work keeps the code that was optimized for its requests', async () => {
  const server = await startServer({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(trace)}`,
  })
  onTestFinished(async () => void (await server.stop()))
  const collections = () => server.stdout().match(/Mark-Compact/g)?.length ?? 0
  // Longer than a gateway counts as cold: that one collects the garbage of its start.
  for (const end = performance.now() + 8_000; performance.now() < end; )
    await Promise.all(Array.from({ length: 16 }, () => server.execute('exit(payload)')))
  await sleep(5_000)
  const afterWork = collections()
  // V8 waits for 100 seconds, and looks every eight.
  await sleep(130_000)
  expect(collections()).toBe(afterWork)
}, 300_000)
