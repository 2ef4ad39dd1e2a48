import { expect, test } from 'vitest'
import { eachStore } from '../databases/each-store.ts'
import { explain } from '../databases/read-rows.ts'
import { fillCases } from './fill-cases.ts'

const values = { half: `i % 2`, other: `(i + 1) % 2`, late: `i / 2250`, rare: `i % 900` }

eachStore(harness => {
  test('a search of several fields finds the same cases, common or rare, from both ends', async () => {
    const url = await harness.freshUrl()
    const asked: string[] = []
    const store = await harness.open({ url, onStatement: sql => asked.push(sql) })
    await store.accounts.ensure('a')
    await fillCases(url, { count: 4_500, values })
    const find = async (wanted: Record<string, string[]>, fromEnd = false) => {
      const where = Object.entries(wanted).map(([field, given]) => ({ field, in: given }))
      const page = { after: null, before: null, limit: 2, fromEnd }
      return (await store.cases.page('a', { caseTypeCode: 'big', where }, page)).map(({ id }) => id)
    }
    expect(await find({ half: ['1'], rare: ['7', '8'] })).toEqual([7, 907])
    expect(await find({ half: ['1'], late: ['0', '1'] }, true)).toEqual([4497, 4499])
    expect(await find({ half: ['1'], other: ['1'] })).toEqual([])
    expect(await find({ half: ['1', '3'], late: ['0', '1'] })).toEqual([1, 3])
    expect(await find({ half: ['1', '3'], late: ['1', '2'] }, true)).toEqual([4497, 4499])
    expect(await find({ half: ['1', '3'], other: ['1', '3'] })).toEqual([])
    asked.length = 0
    expect(await find({ half: ['1'], late: ['1'] })).toEqual([2251, 2253])
    if (harness.engine !== 'SQLite') return
    expect(await explain(url, asked.at(-1) ?? '')).toContain('MERGE (INTERSECT)')
  })
})
