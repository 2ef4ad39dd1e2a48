import { beforeEach, expect, test } from 'vitest'
import type { Membership } from '../../../src/domain/memberships/membership-store.ts'
import type { Store } from '../../../src/domain/store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'

eachStore(harness => {
  let store: Store
  beforeEach(async () => {
    store = await harness.open()
  })

  async function add(accountCode: string, userId: number, teamId: number): Promise<Membership> {
    const result = await store.memberships.add(by(accountCode), { userId, teamId })
    if (result.kind !== 'added') throw new Error('The pair was there before.')
    return result.membership
  }

  test('a new membership has the pair, no leader and version 1', async () => {
    const added = await add('a', 7, 3)
    expect(added).toEqual({ id: added.id, userId: 7, teamId: 3, leader: null, version: 1 })
    expect(added.id).toBeGreaterThanOrEqual(1)
    expect(await store.memberships.findByIds('a', [added.id])).toEqual([added])
  })

  test('a membership makes the records of its account, user and team', async () => {
    expect(await store.accounts.isEmpty()).toBe(true)
    await add('a', 7, 3)
    expect(await store.accounts.isEmpty()).toBe(false)
    expect(await store.users.findByIds('a', [7])).toEqual([{ id: 7, email: null, displayName: null }])
    expect(await store.teams.findByIds('a', [3])).toEqual([{ id: 3, name: null }])
  })

  test('a membership leaves the saved details of its user and team as they are', async () => {
    await store.users.save(by('a'), 7, { email: 'ann@example.com', displayName: 'Ann' })
    await store.teams.save(by('a'), 3, { name: 'Service desk' })
    await add('a', 7, 3)
    expect(await store.users.findByIds('a', [7])).toEqual([
      { id: 7, email: 'ann@example.com', displayName: 'Ann' },
    ])
    expect(await store.teams.findByIds('a', [3])).toEqual([{ id: 3, name: 'Service desk' }])
  })

  test('ids are exact up to 2^53-1', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const added = await add('a', most, most - 1)
    expect(added).toMatchObject({ userId: most, teamId: most - 1 })
    expect(await store.users.findByIds('a', [most, most - 1])).toEqual([
      { id: most, email: null, displayName: null },
    ])
    expect(await store.teams.findByIds('a', [most, most - 1])).toEqual([{ id: most - 1, name: null }])
    expect(await store.memberships.findByIds('a', [most])).toEqual([])
  })

  test('adding a pair again names the membership it has', async () => {
    const { id } = await add('a', 7, 3)
    const again = await store.memberships.add(by('a'), { userId: 7, teamId: 3 })
    expect(again).toEqual({ kind: 'duplicate', existingId: id })
  })

  test('each account counts its own ids and gives none twice', async () => {
    const idsOf = async (account: string, length: number) => {
      const ids: number[] = []
      for (let teamId = 1; teamId <= length; teamId += 1) ids.push((await add(account, 1, teamId)).id)
      return ids
    }
    expect(await idsOf('a', 3)).toEqual([1, 2, 3])
    expect(await idsOf('b', 2)).toEqual([1, 2])
    await store.memberships.add(by('b'), { userId: 1, teamId: 1 })
    const addAll = (...teamIds: readonly number[]) => {
      const items = teamIds.map(teamId => ({ userId: 1, teamId }))
      return store.memberships.changeMany(by('b'), { kind: 'add', items }, 'atomic')
    }
    await addAll(10, 11)
    const refused = await addAll(10, 10)
    expect(refused.applied).toBe(false)
    await store.memberships.remove(by('b'), 4, null)
    expect((await add('b', 1, 11)).id).toBe(5)
    expect((await add('a', 1, 4)).id).toBe(4)
  })

  test('a move changes what it names, keeps the rest and counts a version', async () => {
    const { id } = await add('a', 7, 3)
    expect(await store.memberships.move(by('a'), id, { teamId: 4 }, null)).toEqual({
      kind: 'moved',
      membership: { id, userId: 7, teamId: 4, leader: null, version: 2 },
    })
    expect(await store.memberships.move(by('a'), id, { userId: 8 }, null)).toMatchObject({
      membership: { userId: 8, teamId: 4, version: 3 },
    })
    expect(await store.users.findByIds('a', [8])).toHaveLength(1)
    expect(await store.teams.findByIds('a', [4])).toHaveLength(1)
  })

  test('a move to the same values keeps the version', async () => {
    const { id } = await add('a', 7, 3)
    const moved = await store.memberships.move(by('a'), id, { userId: 7, teamId: 3 }, null)
    expect(moved).toMatchObject({ kind: 'moved', membership: { version: 1 } })
  })

  test.each([[{ userId: 7, teamId: 4 }], [{ teamId: 4 }]])(
    'a move onto a pair that exists changes nothing and names it: %j',
    async change => {
      const { id } = await add('a', 7, 3)
      const other = await add('a', 7, 4)
      const moved = await store.memberships.move(by('a'), id, change, null)
      expect(moved).toEqual({ kind: 'duplicate', existingId: other.id })
      expect(await store.memberships.findByIds('a', [id])).toMatchObject([{ teamId: 3, version: 1 }])
    },
  )

  test('a move or removal goes through with one of the versions it allows', async () => {
    const { id } = await add('a', 7, 3)
    const moved = await store.memberships.move(by('a'), id, { teamId: 4 }, [9, 1])
    expect(moved).toMatchObject({ kind: 'moved', membership: { version: 2 } })
    const removed = await store.memberships.remove(by('a'), id, [2])
    expect(removed).toEqual({
      kind: 'removed',
      membership: { id, userId: 7, teamId: 4, leader: null, version: 2 },
    })
  })

  test.each([[[2, 3]], [[]]])('a move or removal that allows only versions %j is stale', async versions => {
    const { id } = await add('a', 7, 3)
    const stale = { kind: 'stale', version: 1 }
    expect(await store.memberships.move(by('a'), id, { teamId: 4 }, versions)).toEqual(stale)
    expect(await store.memberships.remove(by('a'), id, versions)).toEqual(stale)
    expect(await store.memberships.findByIds('a', [id])).toMatchObject([{ teamId: 3, version: 1 }])
  })

  test('a move that fails leaves no record of its user, team or account', async () => {
    const { id } = await add('a', 7, 3)
    await add('a', 8, 3)
    await store.memberships.move(by('a'), id, { userId: 50, teamId: 60 }, [9])
    await store.memberships.move(by('a'), id + 1_000, { userId: 51, teamId: 61 }, null)
    await store.memberships.move(by('a'), id, { userId: 8 }, null)
    await store.memberships.move(by('unheard-of'), id, { userId: 52, teamId: 62 }, null)
    expect(await store.users.findByIds('a', [50, 51])).toEqual([])
    expect(await store.teams.findByIds('a', [60, 61])).toEqual([])
    expect(await store.users.findByIds('unheard-of', [52])).toEqual([])
    await expect(store.accounts.ensure('unheard-of')).resolves.toBe(true)
  })

  test('an unknown id is missing for every change', async () => {
    expect(await store.memberships.findByIds('a', [1])).toEqual([])
    expect(await store.memberships.move(by('a'), 1, { teamId: 4 }, null)).toEqual({ kind: 'missing' })
    expect(await store.memberships.move(by('a'), 1, { teamId: 4 }, [1])).toEqual({ kind: 'missing' })
    expect(await store.memberships.remove(by('a'), 1, null)).toEqual({ kind: 'missing' })
    expect(await store.memberships.remove(by('a'), 1, [1])).toEqual({ kind: 'missing' })
  })

  test('another account cannot find, move, remove or page a membership', async () => {
    await add('a', 1, 1)
    const { id } = await add('a', 7, 3)
    const page = { after: null, before: null, limit: 10, fromEnd: false }
    await add('b', 1, 1)
    expect(await store.memberships.findByIds('b', [id])).toEqual([])
    expect(await store.memberships.move(by('b'), id, { teamId: 4 }, null)).toEqual({ kind: 'missing' })
    expect(await store.memberships.move(by('b'), id, { userId: 1, teamId: 1 }, [1])).toEqual({
      kind: 'missing',
    })
    expect(await store.memberships.remove(by('b'), id, null)).toEqual({ kind: 'missing' })
    expect(await store.memberships.pageByUsers('b', [7], page)).toEqual([])
    expect(await store.memberships.pageByTeams('b', [3], page)).toEqual([])
    expect(await store.memberships.findByIds('a', [id])).toMatchObject([{ userId: 7, teamId: 3, version: 1 }])
  })

  test('a pair in the way is named by the membership of the same account', async () => {
    for (const accountCode of ['a', 'b', 'c']) await add(accountCode, 7, 4)
    const own = await store.memberships.add(by('b'), { userId: 7, teamId: 4 })
    if (own.kind !== 'duplicate') throw new Error('The pair was not there.')
    const { id } = await add('b', 7, 3)
    expect(await store.memberships.move(by('b'), id, { teamId: 4 }, null)).toEqual(own)
    expect(await store.memberships.findByIds('b', [own.existingId])).toHaveLength(1)
  })

  test('another account may have the same pair', async () => {
    const first = await add('a', 7, 3)
    const second = await add('b', 7, 3)
    await store.memberships.remove(by('a'), first.id, null)
    expect(await store.memberships.findByIds('b', [first.id, second.id])).toEqual([second])
  })
})
