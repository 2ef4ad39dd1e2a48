import SqliteDatabase from 'better-sqlite3'
import { expect, test } from 'vitest'
import { eachStore } from '../databases/each-store.ts'
import { writeRows } from '../databases/write-rows.ts'

const count = 4_500
const fields = { half: `i % 2`, other: `(i + 1) % 2`, late: `i / 2250`, rare: `i % 900` }

eachStore(harness => {
  test('a search of several fields finds the same cases, common or rare, from both ends', async () => {
    const url = await harness.freshUrl()
    const asked: string[] = []
    const store = await harness.open({ url, onStatement: sql => asked.push(sql) })
    await store.accounts.ensure('a')
    const numbers = `with recursive s(i) as (select 1 union all select i + 1 from s where i < ${count})`
    await writeRows(
      url,
      `insert into case_types (account_code, code, indexed_fields, written_fields, revision)
      values ('a', 't', '[]', '[]', 1)`,
    )
    await writeRows(
      url,
      `insert into cases (account_code, id, case_type_code, data, data_bytes)
      ${numbers} select 'a', i, 't', '{}', 2 from s`,
    )
    for (const [field, value] of Object.entries(fields))
      await writeRows(
        url,
        `insert into case_values (account_code, case_type_code, field, value, case_id)
        ${numbers} select 'a', 't', '${field}', cast(${value} as text), i from s`,
      )
    const find = async (wanted: Record<string, string[]>, fromEnd = false) => {
      const where = Object.entries(wanted).map(([field, values]) => ({ field, in: values }))
      const page = { after: null, before: null, limit: 2, fromEnd }
      return (await store.cases.page('a', { caseTypeCode: 't', where }, page)).map(({ id }) => id)
    }
    expect(await find({ half: ['1'], rare: ['7', '8'] })).toEqual([7, 907])
    expect(await find({ half: ['1'], late: ['0', '1'] }, true)).toEqual([4497, 4499])
    expect(await find({ half: ['1'], other: ['1'] })).toEqual([])
    expect(await find({ half: ['1', '3'], late: ['0', '1'] })).toEqual([1, 3])
    expect(await find({ half: ['1', '3'], late: ['1', '2'] }, true)).toEqual([4497, 4499])
    expect(await find({ half: ['1', '3'], other: ['1', '3'] })).toEqual([])
    asked.length = 0
    expect(await find({ half: ['1'], late: ['1'] })).toEqual([2251, 2253])
    if (harness.engine === 'SQLite') expect(explain(url, asked.at(-1) ?? '')).toContain('MERGE (INTERSECT)')
  })
})

function explain(url: string, text: string): string {
  const client = new SqliteDatabase(url.slice('sqlite:'.length), { readonly: true })
  const values = Array.from(text.matchAll(/\?/g), () => 1)
  const rows = client.prepare<unknown[], { detail: string }>(`explain query plan ${text}`).all(...values)
  client.close()
  return rows.map(({ detail }) => detail).join('\n')
}
