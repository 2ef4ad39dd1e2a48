import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { residentBytesOf } from '../../hostile/neighbours/resident-bytes.ts'
import { startServer, type TestServer } from '../../server/gateways/start-server.ts'

// V8 prints each collection on standard output.
const trace = "import v8 from 'node:v8'; v8.setFlagsFromString('--trace-gc')"

async function start(): Promise<TestServer> {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(trace)}`
  const server = await startServer({ NODE_OPTIONS })
  onTestFinished(async () => void (await server.stop()))
  return server
}

async function work(server: TestServer, source: string, inputDocument: unknown = null): Promise<void> {
  // Longer than a gateway counts as cold: that one collects the garbage of its start.
  for (const end = performance.now() + 8_000; performance.now() < end; )
    await Promise.all(Array.from({ length: 32 }, () => server.execute({ sourceCode: source, inputDocument })))
}

const collectionsOf = (server: TestServer) => server.stdout().match(/Mark-Compact/g)?.length ?? 0

test('a gateway without work keeps the code that was optimized for its requests', async () => {
  const server = await start()
  await work(server, 'exit(payload)')
  await sleep(5_000)
  const afterWork = collectionsOf(server)
  // V8 waits for 100 seconds, and looks every eight.
  await sleep(130_000)
  expect(collectionsOf(server)).toBe(afterWork)
}, 300_000)

test('it gives back the memory of large documents', async () => {
  const server = await start()
  await work(server, 'exit(payload)', Array(80_000).fill('some text'))
  const held = residentBytesOf(server.pid)
  // The gateway looks every minute whether the last one was quiet.
  await sleep(125_000)
  expect(residentBytesOf(server.pid)).toBeLessThan(0.75 * held)
}, 200_000)
