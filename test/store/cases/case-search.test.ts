import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CaseSearch } from '../../../src/domain/cases/case-store.ts'
import type { Page } from '../../../src/domain/port.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { createDatabase, releaseDatabase } from '../databases/create-database.ts'
import { readRows } from '../databases/read-rows.ts'
import { writeRows } from '../databases/write-rows.ts'
import { fillCases } from '../statements/fill-cases.ts'

const page: Page = { after: null, before: null, limit: 20, fromEnd: false }

// Almost all cases have the first value, and one in fifty has the second one.
const values = { s: `'"open"'`, u: `'"u' || (i % 50) || '"'` }

let url: string

/** The rows of a table that sessions which have ended have read, by any index or none. */
async function countReads(table: 'cases' | 'case_values'): Promise<number> {
  const [row] = await readRows<{ reads: string }>(
    url,
    `select seq_tup_read + idx_tup_fetch as reads from pg_stat_user_tables where relname = '${table}'`,
  )
  return Number(row?.reads)
}

/** Makes a search ten times: PostgreSQL chooses a plan for all values after five runs. */
async function searchOften(where: CaseSearch['where'], expected: readonly number[]): Promise<void> {
  const store = await openStore({ url })
  for (let run = 0; run < 10; run++) {
    const found = await store.cases.page('a', { caseTypeCode: 'big', where }, page)
    expect(found.map(({ id }) => id)).toEqual(expected)
  }
  // A session reports what it has read at its end, and then disappears.
  await store.close()
  await expect.poll(countSessions).toBe(0)
}

async function countSessions(): Promise<number> {
  const rows = await readRows(
    url,
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`,
  )
  return rows.length
}

beforeAll(async () => {
  url = await createDatabase()
  const store = await openStore({ url })
  await store.accounts.ensure('a')
  await store.close()
  await fillCases(url, { count: 20_000, values })
  await writeRows(url, 'analyze cases, case_values')
})
afterAll(() => releaseDatabase(url))

test('PostgreSQL reads few values for a search with several conditions, however often it is made', async () => {
  const before = await countReads('case_values')
  const where = [
    { field: 'u', in: ['"u7"'] },
    { field: 's', in: ['"open"', '"closed"'] },
  ]
  await searchOften(
    where,
    Array.from({ length: 20 }, (_, index) => 7 + 50 * index),
  )
  expect((await countReads('case_values')) - before).toBeLessThan(10_000)
})

test('PostgreSQL reads few values for a search by lists that one in ten cases matches', async () => {
  const before = await countReads('case_values')
  const wanted = [0, 10, 20, 30, 40]
  const where = [
    { field: 'u', in: wanted.map(value => `"u${value}"`) },
    { field: 's', in: ['"open"', '"closed"'] },
  ]
  await searchOften(
    where,
    Array.from({ length: 20 }, (_, index) => 10 * (index + 1)),
  )
  expect((await countReads('case_values')) - before).toBeLessThan(40_000)
})

test.each([
  [['"u7"'], Array.from({ length: 20 }, (_, index) => 7 + 50 * index)],
  [['"u7"', '"u8"'], Array.from({ length: 20 }, (_, index) => 7 + 50 * (index >> 1) + (index & 1))],
])(
  'PostgreSQL reads no other cases than it returns for a search of one field: %j',
  async (wanted, expected) => {
    const before = await countReads('cases')
    await searchOften([{ field: 'u', in: wanted }], expected)
    expect((await countReads('cases')) - before).toBe(10 * expected.length)
  },
)

test('PostgreSQL reads a page of each value for a search of one field, however many cases have them', async () => {
  const before = await countReads('case_values')
  await searchOften(
    [{ field: 's', in: ['"open"', '"closed"', '"open"'] }],
    Array.from({ length: 20 }, (_, index) => 1 + index),
  )
  expect((await countReads('case_values')) - before).toBeLessThan(1_000)
})
