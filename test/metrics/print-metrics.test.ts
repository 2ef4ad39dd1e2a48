import { expect, onTestFinished, test } from 'vitest'
import { Counts } from '../../src/metrics/counts.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { openStore } from '../../src/store/open-store.ts'

async function openMetrics() {
  const statements: string[] = []
  const warnings: object[] = []
  const store = await openStore({ url: 'sqlite::memory:', onStatement: sql => void statements.push(sql) })
  onTestFinished(() => store.close())
  const print = createMetrics({
    counts: new Counts([]),
    store: 'sqlite',
    readScripts: () => ({ runsWaiting: 0, sandboxes: { idle: 1, busy: 0, starting: 0 } }),
    countQueued: store.queue.countAll,
    log: { warn: (facts: object) => void warnings.push(facts) },
  })
  return {
    store,
    print,
    warnings,
    counted: () => statements.filter(sql => sql.includes('queued_runs')).length,
  }
}

test('scrapes that come together count the queued runs once', async () => {
  const { print, counted } = await openMetrics()
  const before = counted()
  const texts = await Promise.all([print(), print(), print()])
  for (const text of texts) expect(text).toContain('rostrum_queued_runs{state="waiting"} 0\n')
  expect(counted() - before).toBe(1)
})

test('a store that cannot count hides its own gauge alone, and the log says so', async () => {
  const { store, print, warnings } = await openMetrics()
  await store.close()
  const text = await print()
  expect(text).not.toContain('rostrum_queued_runs{')
  expect(text).toContain('rostrum_sandboxes{state="idle"} 1\n')
  expect(text).toMatch(/^process_resident_memory_bytes /m)
  await print()
  expect(warnings).toEqual([{ err: expect.any(Error), metric: 'rostrum_queued_runs' }])
})

test('a lag that was not measured since the last scrape has no sample', async () => {
  const { print } = await openMetrics()
  const samples = (await print()).split('\n').filter(line => /^\w/.test(line))
  const values = samples.map(line => line.slice(line.lastIndexOf(' ') + 1))
  expect(values.filter(value => !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(value))).toEqual([])
  const lags = samples.filter(line => line.startsWith('nodejs_eventloop_lag_'))
  expect(lags.filter(line => Number(line.slice(line.lastIndexOf(' ') + 1)) > 1e9)).toEqual([])
})
