import { expect, test } from 'vitest'
import { select } from '../../../src/store/columns.ts'
import { createDecode } from '../../../src/store/decode-row.ts'
import { tables } from '../../../src/store/sqlite/tables.ts'

const { runs, users } = tables

test('a row is decoded as its columns are described', () => {
  const decode = createDecode(select(runs, { only: ['runId', 'name', 'scopes', 'duration', 'dryRun'] }))
  const row = { runId: 'r', name: '"a b"', scopes: '', duration: 18, dryRun: 1 }
  decode?.(row)
  expect(row).toEqual({ runId: 'r', name: 'a b', scopes: [], duration: 1.8, dryRun: true })
})

test('a null is no value to decode', () => {
  const row = { duration: null }
  createDecode(select(runs, { only: ['duration'] }))?.(row)
  expect(row).toEqual({ duration: null })
})

test('a selection whose columns are all stored as they are costs nothing for each row', () => {
  expect(createDecode(select(users, { omit: [] }))).toBeNull()
})

test('an unreadable value throws for itself and names its row', () => {
  const row = { runId: 'r', name: '{', txnSource: '"x"' }
  createDecode(select(runs, { only: ['runId', 'name', 'txnSource'] }))?.(row)
  expect([row.runId, row.txnSource]).toEqual(['r', 'x'])
  expect(() => row.name).toThrow('`name` of row `r` in the table `runs` cannot be read')
})

test('a statement cannot select a JSON value without the member that its error names', () => {
  expect(() => createDecode(select(runs, { only: ['name'] }))).toThrow('`name` without `runId`')
})
