import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMemberships, type Memberships } from '../../src/domain/memberships/memberships.ts'
import type { Store } from '../../src/domain/store.ts'
import { RostrumError } from '../../src/errors.ts'
import { openStore } from '../../src/store/open-store.ts'
import { by } from '../store/databases/origin.ts'

let store: Store
let memberships: Memberships
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' })
  memberships = createMemberships(store)
})
afterEach(() => store.close())

async function failure(work: Promise<unknown>): Promise<RostrumError> {
  const error = await work.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  )
  if (error instanceof RostrumError) return error
  throw error
}

test('a list keeps the order of its ids, gives duplicates once and leaves out unknown ids', async () => {
  const ids = []
  for (const teamId of [1, 2, 3]) ids.push((await memberships.add(by('a'), { userId: 7, teamId })).id)
  const [first = 0, second = 0, third = 0] = ids
  const listed = await memberships.list('a', [third, 10_000, first, third, second, first])
  expect(listed.map(row => row.id)).toEqual([third, first, second])
  expect(await memberships.list('a', [])).toEqual([])
  expect(await memberships.list('b', ids)).toEqual([])
})

test('a pair that exists is a conflict that names its membership, for add and move', async () => {
  const { id } = await memberships.add(by('a'), { userId: 7, teamId: 3 })
  const other = await memberships.add(by('a'), { userId: 7, teamId: 4 })
  const refused = [
    await failure(memberships.add(by('a'), { userId: 7, teamId: 3 })),
    await failure(memberships.move(by('a'), other.id, { teamId: 3 }, null)),
  ]
  for (const error of refused) {
    expect(error).toMatchObject({ code: 'CONFLICT', facts: { existingId: id } })
    expect(error.message).toContain(`\`${id}\``)
  }
})

test('a version that is not allowed is a failed precondition', async () => {
  const { id } = await memberships.add(by('a'), { userId: 7, teamId: 3 })
  expect((await failure(memberships.move(by('a'), id, { teamId: 4 }, [2]))).code).toBe('PRECONDITION_FAILED')
  expect((await failure(memberships.remove(by('a'), id, []))).code).toBe('PRECONDITION_FAILED')
})

test('an id of another account fails word for word like an unknown one', async () => {
  const { id } = await memberships.add(by('a'), { userId: 7, teamId: 3 })
  const unknown = openStore({ url: 'sqlite::memory:' })
  const elsewhere = createMemberships(await unknown)
  for (const ifVersions of [null, [1]]) {
    const change = [id, { teamId: 4 }, ifVersions] as const
    expect(await failure(memberships.move(by('b'), ...change))).toEqual(
      await failure(elsewhere.move(by('b'), ...change)),
    )
    expect(await failure(memberships.remove(by('b'), id, ifVersions))).toEqual(
      await failure(elsewhere.remove(by('b'), id, ifVersions)),
    )
  }
  expect((await failure(memberships.remove(by('b'), id, null))).code).toBe('NOT_FOUND')
  await (await unknown).close()
})

test('a removal answers the membership as it was', async () => {
  const added = await memberships.add(by('a'), { userId: 7, teamId: 3 })
  expect(await memberships.remove(by('a'), added.id, null)).toEqual(added)
  expect((await failure(memberships.remove(by('a'), added.id, null))).code).toBe('NOT_FOUND')
})
