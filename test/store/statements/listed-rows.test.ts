import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { allRuns, type RunRow } from '../../../src/domain/runs/run-store.ts'
import { toText } from '../../../src/store/sqlite/connection/create-prepare.ts'
import { list, prepareLists } from '../../../src/store/sqlite/list.ts'
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

// A statement stays prepared, so a caller who chooses the lengths of lists must not choose the number of statements.
test.each([
  [1, 9],
  [2, 1],
])('with %i lists, SQLite prepares %i statements at most', (count, times) => {
  let prepared = 0
  const prepare = prepareLists(() => {
    prepared += 1
    return { columns: [], run: () => [] }
  })
  const lists = Array.from({ length: count }, (_, index) => list(`list_${index}`, { id: 'integer' }))
  const { text, params } = toText(sql`select * from ${sql.join(lists.map(({ rows }) => rows))}`)
  const statement = prepare(text, params)
  for (let length = 0; length <= 20; length += 1) {
    const rows = Array.from({ length }, (_, id) => ({ id }))
    statement.run(Object.assign({}, ...lists.map(({ encode }) => encode(rows))))
  }
  expect(prepared).toBe(times)
})
