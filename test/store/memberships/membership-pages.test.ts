import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Membership } from '../../../src/domain/memberships/membership-store.ts'
import type { Page } from '../../../src/domain/port.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { writeRows } from '../databases/write-rows.ts'

const all: Page = { after: null, before: null, limit: 100, fromEnd: false }

eachStore(harness => {
  let store: Store
  let url: string
  let ofUser1: number[]

  beforeAll(async () => {
    url = await harness.freshUrl()
    store = await openStore({ url })
    ofUser1 = []
    for (const teamId of [1, 2, 3, 4, 5]) {
      for (const userId of [1, 2]) {
        const added = await store.memberships.add(by('a'), { userId, teamId })
        if (added.kind === 'added' && userId === 1) ofUser1.push(added.membership.id)
      }
      await store.memberships.add(by('b'), { userId: 1, teamId })
    }
  })
  afterAll(() => store.close())

  const ids = (rows: readonly Membership[], userId: number) =>
    rows.filter(row => row.userId === userId).map(row => row.id)

  test.each([
    ['the whole', {}, [0, 1, 2, 3, 4]],
    ['the first two', { limit: 2 }, [0, 1]],
    ['the last two, ascending', { limit: 2, fromEnd: true }, [3, 4]],
    ['two after the second', { limit: 2, after: 1 }, [2, 3]],
    ['two before the fourth, from the end', { limit: 2, before: 3, fromEnd: true }, [1, 2]],
    ['what is between two bounds', { after: 0, before: 4 }, [1, 2, 3]],
    ['nothing past the end', { after: 4 }, []],
    ['nothing at limit 0', { limit: 0 }, []],
  ])('a page of a user is %s', async (_, part, places) => {
    const page = {
      ...all,
      ...part,
      after: 'after' in part ? (ofUser1[part.after] ?? null) : null,
      before: 'before' in part ? (ofUser1[part.before] ?? null) : null,
    }
    const rows = await store.memberships.pageByUsers('a', [1], page)
    expect(rows.map(row => row.id)).toEqual(places.map(place => ofUser1[place]))
  })

  test('each of several users gets a page of its own', async () => {
    const rows = await store.memberships.pageByUsers('a', [1, 2, 3], { ...all, limit: 3, fromEnd: true })
    expect(ids(rows, 1)).toEqual(ofUser1.slice(2))
    expect(ids(rows, 2)).toHaveLength(3)
    expect(rows).toHaveLength(6)
  })

  test('each of several teams gets a page of its own', async () => {
    const rows = await store.memberships.pageByTeams('a', [5, 1], { ...all, limit: 1 })
    expect(rows.map(row => [row.teamId, row.userId])).toEqual([
      [1, 1],
      [5, 1],
    ])
    const last = await store.memberships.pageByTeams('a', [5, 1], { ...all, limit: 1, fromEnd: true })
    expect(last.map(row => [row.teamId, row.userId])).toEqual([
      [1, 2],
      [5, 2],
    ])
  })

  test('a read stops at 2,000 rows and leaves the pages of the other parents unread', async () => {
    const numbers = `
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000) select`
    await writeRows(url, "insert into accounts (account_code) values ('c')")
    await writeRows(url, `insert into users (account_code, id) ${numbers} 'c', n from numbers`)
    await writeRows(url, "insert into teams (account_code, id) values ('c', 1), ('c', 2), ('c', 3)")
    for (const [teamId, firstId] of [
      [1, 5_000],
      [2, 10_000],
      [3, 0],
    ]) {
      await writeRows(
        url,
        `insert into team_memberships (account_code, id, user_id, team_id)
          ${numbers} 'c', ${firstId} + n, n, ${teamId} from numbers`,
      )
    }
    const rows = await store.memberships.pageByTeams('c', [1, 2, 3], { ...all, limit: 1_000 })
    expect(rows).toHaveLength(2_000)
    expect(new Set(rows.map(({ teamId }) => teamId))).toEqual(new Set([1, 2]))
  })

  test('no parents have no pages', async () => {
    expect(await store.memberships.pageByUsers('a', [], all)).toEqual([])
    expect(await store.memberships.pageByTeams('a', [], all)).toEqual([])
  })
})
