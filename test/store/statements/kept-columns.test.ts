import { expect, test } from 'vitest'
import { namesOfKept } from '../../../src/store/entities/memberships/membership-reads.ts'
import { nullable, text } from '../../../src/store/tables/describe-table.ts'
import { descriptions } from '../../../src/store/tables/descriptions.ts'

test('a column that the table of memberships gets is kept by moves in bulk', () => {
  const { columns } = descriptions.teamMemberships
  const kept = namesOfKept({ ...columns, sortName: nullable(text()) })
  expect(kept).toEqual([...namesOfKept(columns), 'sort_name'])
})
