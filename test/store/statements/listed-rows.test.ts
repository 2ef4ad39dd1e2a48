import { expect, test } from 'vitest'
import { allRuns, type RunRow } from '../../../src/domain/runs/run-store.ts'
import { eachStore } from '../databases/each-store.ts'
import { runRow } from '../runs/run-row.ts'

const texts = ['', '"\\"', '{"a":"\\u0000"}', 'x'.repeat(20_000), '✓ 𝄞']

// SQLite gets eight rows as values, and nine as JSON.
eachStore(({ open }) => {
  test.each([1, 2, 8, 9])('%i rows of a list are stored as they are', async count => {
    const store = await open({})
    const inserts = Array.from({ length: count }, (_, index) => {
      const text = texts[index % texts.length] ?? ''
      const options = { texts: { input: text, payload: text }, textBytes: { input: 3, payload: 4 } }
      return runRow({ ...options, caseId: index % 2 === 0 ? null : index, durationMs: index + 0.5 })
    })
    await store.runs.write('a', 'one', { inserts, ends: [] })
    const { runs } = await store.runs.look('a', allRuns, null, 20)
    const ids = runs.map(({ id }) => id).toReversed()
    expect(ids).toEqual(inserts.map((_, index) => index + 1))
    const pick = ({ runId, caseId, durationMs }: Pick<RunRow, 'runId' | 'caseId' | 'durationMs'>) => [
      runId,
      caseId,
      durationMs,
    ]
    expect(runs.map(pick).toReversed()).toEqual(inserts.map(pick))
    for (const kind of ['input', 'payload'] as const) {
      const found = await store.runs.findTexts('a', kind, ids)
      expect(ids.map(id => found.find(row => row.id === id)?.text ?? null)).toEqual(
        inserts.map(run => run.texts[kind]),
      )
    }
  })
})
