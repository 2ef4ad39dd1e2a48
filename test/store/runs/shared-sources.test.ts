import { beforeEach, expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { storedRowBytes } from '../../../src/domain/store-limits.ts'
import { eachStore } from '../databases/each-store.ts'
import { readRows } from '../databases/read-rows.ts'
import { keptRun } from './kept-run.ts'
import { keepsAll, sweep } from './sweep.ts'

const day = 86_400_000
const now = Date.now()

eachStore(harness => {
  let store: Store
  let url: string
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url })
  })

  function sent(source: string, ageMs = 0) {
    const texts = { input: '{}', source: JSON.stringify(source) }
    const textBytes = { input: 2, source: Buffer.byteLength(texts.source) }
    return keptRun({ texts, textBytes, startedAt: now - ageMs })
  }
  const keep = (account: string, ...inserts: ReturnType<typeof sent>[]) =>
    store.runs.write(account, 'one', { inserts, ends: [] })
  const sourceOf = async (account: string, runId: string) => {
    const [run] = await store.runs.findByRunIds(account, [runId])
    return (await store.runs.findTexts(account, 'source', [run?.id ?? 0]))[0]?.text ?? null
  }
  const kept = async () =>
    (
      await readRows<{ source: string }>(url, 'select source from run_sources order by account_code, source')
    ).map(({ source }) => source)
  async function storedBytes(account: string): Promise<number> {
    const query = `select value from counters where account_code = '${account}' and name = 'stored byte'`
    return Number((await readRows<{ value: number }>(url, query))[0]?.value ?? 0)
  }

  test('the runs of an account share one copy of a source, which counts once', async () => {
    const long = `// ${'é'.repeat(10_000)}`
    const [first, second, third, other] = [sent(long), sent(long), sent(long), sent('exit(2)')]
    await keep('a', first, second, other)
    const before = await storedBytes('a')
    await keep('a', third)
    expect(await kept()).toEqual([JSON.stringify(long), '"exit(2)"'])
    expect((await storedBytes('a')) - before).toBe(storedRowBytes + 2)
    for (const { runId, texts } of [first, second, third, other])
      expect(await sourceOf('a', runId)).toBe(texts.source)
  })

  test('each account has its own copy, and no other can read it', async () => {
    const [ours, theirs] = [sent('exit(1)'), sent('exit(1)')]
    await keep('a', ours)
    await keep('b', theirs)
    expect(await kept()).toEqual(['"exit(1)"', '"exit(1)"'])
    expect(await storedBytes('a')).toBe(await storedBytes('b'))
    expect(await sourceOf('b', ours.runId)).toBeNull()
  })

  test('a source is deleted with the last input that names it, and then counts no more', async () => {
    const [old, young] = [sent('exit(1)', 8 * day), sent('exit(1)')]
    await keep('a', old, young, sent('exit(2)', 8 * day))
    await sweep(store, keepsAll)
    expect(await kept()).toEqual(['"exit(1)"'])
    expect(await sourceOf('a', old.runId)).toBeNull()
    expect(await sourceOf('a', young.runId)).toBe('"exit(1)"')
    await sweep(store, { ...keepsAll, days: 0, inputDays: 0 })
    await expect.poll(() => sweep(store, { ...keepsAll, days: 0 }).then(kept)).toEqual([])
    expect(await storedBytes('a')).toBe(0)
  })

  test('different sources of a hostile account are deleted with their runs', async () => {
    const runs = Array.from({ length: 40 }, (_, index) => sent(`// ${index} ${'x'.repeat(1_000)}`))
    for (const run of runs) await keep('a', run)
    await sweep(store, { ...keepsAll, count: 5 })
    expect(await kept()).toHaveLength(5)
    await sweep(store, { ...keepsAll, bytes: 3_000 })
    expect((await kept()).length).toBeLessThan(5)
    const bytes = (await kept()).reduce((sum, source) => sum + source.length, 0)
    const rows = 2 * (await kept()).length
    expect(await storedBytes('a')).toBe(bytes + rows * storedRowBytes + 2 * (rows / 2))
  })

  test('runs that are written twice, after a lost answer, share one copy', async () => {
    const run = sent('exit(1)')
    await keep('a', run)
    const before = await storedBytes('a')
    await keep('a', run)
    expect(await storedBytes('a')).toBe(before)
    expect(await kept()).toEqual(['"exit(1)"'])
  })

  test('a source that is swept while runs with it are written is kept for them', async () => {
    const rounds = Array.from({ length: 20 }, () => [sent('exit(1)', 8 * day), sent('exit(1)')] as const)
    for (const [old, young] of rounds) {
      await keep('a', old)
      await Promise.all([sweep(store, keepsAll), keep('a', young)])
      expect(await sourceOf('a', young.runId)).toBe('"exit(1)"')
      await sweep(store, { ...keepsAll, count: 0 })
    }
  })
})
