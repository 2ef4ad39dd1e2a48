import { expect, onTestFinished, test } from 'vitest'
import { createReadiness } from '../../src/http/readiness.ts'
import { openStore } from '../../src/store/open-store.ts'

test('what a gateway waits for is logged when it happens, once, and so is its end, without a question', async () => {
  const store = await openStore({ url: 'sqlite::memory:' })
  onTestFinished(() => store.close())
  const lines: unknown[] = []
  const sandbox = { isReady: true }
  const readiness = createReadiness({
    store,
    isSandboxReady: () => sandbox.isReady,
    log: { info: (facts: object, text?: string) => void lines.push([text, facts]) },
  })
  readiness.endFirstStart()
  const stop = readiness.watch(1)
  onTestFinished(stop)
  sandbox.isReady = false
  const notReady = ['not ready', { waitingFor: 'a sandbox' }]
  await expect.poll(() => lines).toEqual([notReady])
  sandbox.isReady = true
  await expect.poll(() => lines).toEqual([notReady, ['ready', { waitedFor: ['a sandbox'] }]])
  stop()
  sandbox.isReady = false
  expect(await readiness.findUnready()).toEqual(['a sandbox'])
  await store.close()
  expect(await readiness.findUnready()).toEqual(['the store', 'a sandbox'])
  expect(lines.slice(2)).toEqual([notReady, ['not ready', { waitingFor: 'the store' }]])
})
