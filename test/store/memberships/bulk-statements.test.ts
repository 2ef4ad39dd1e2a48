import SqliteDatabase from 'better-sqlite3'
import { beforeEach, expect, test } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { askPostgres } from '../databases/ask-postgres.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'
import { add, type Change, move, range, remove, together } from './bulk-changes.ts'

eachStore(harness => {
  const statements: string[] = []
  // Neither statements shared by a turn of the event loop nor notifications after the commit belong to a
  // bulk.
  const onStatement = (statement: string) => {
    if (!/data_version|pg_notify/.test(statement)) statements.push(statement)
  }
  let url: string
  let store: Store
  beforeEach(async () => {
    url = await harness.freshUrl()
    store = await harness.open({ url, onStatement })
    // So that the account is there, and every statement has been prepared.
    await change([add(7, 9_999)])
  })

  async function change(changes: readonly Change[]): Promise<number[]> {
    statements.length = 0
    const { applied, results } = await store.memberships.changeMany(by('a'), together(changes), 'atomic')
    expect(applied).toBe(true)
    return results.map(result => ('membership' in result ? result.membership.id : 0))
  }

  test('adding, moving and removing cost as many statements for 1, 10 and 1,000 items, 11 at most', async () => {
    const counts: number[][] = []
    for (const length of [1, 10, 1_000]) {
      const counted: number[] = []
      const ids = await change(range(length).map(teamId => add(length, teamId)))
      counted.push(statements.length)
      // Each onto the pair that the one before it leaves.
      await change(ids.map((id, index) => move(id, { teamId: index + 2 })).toReversed())
      counted.push(statements.length)
      await change(ids.map(id => remove(id)))
      counted.push(statements.length)
      counts.push(counted)
    }
    const [one = [], ten, thousand] = counts
    expect(ten).toEqual(one)
    expect(thousand).toEqual(one)
    expect(Math.max(...one)).toBeLessThanOrEqual(11)
  })

  test('a bulk is one transaction', async () => {
    await change(range(10).map(teamId => add(1, teamId)))
    const brackets = statements.filter(statement => /^(begin|commit|rollback|savepoint)/i.test(statement))
    expect(brackets.map(bracket => bracket.toLowerCase().split(/\W/)[0])).toEqual(['begin', 'commit'])
    expect([statements.at(0), statements.at(-1)]).toEqual([brackets[0], brackets[1]])
  })

  test('a moved row keeps its leader, and its creation time to the last digit', async () => {
    const ids = await change([add(1, 1), add(1, 2), add(1, 3)])
    await changeRows('update team_memberships set leader = (team_id = 1) where team_id < 3')
    const before = await readKept(ids)
    expect(before.map(({ leader }) => Boolean(leader))).toEqual([true, false, false])
    await change(ids.map((id, index) => move(id, { teamId: index + 2 })).toReversed())
    expect(await readKept(ids)).toEqual(before)
    const rows = await store.memberships.findByIds('a', ids)
    expect(rows.map(({ teamId }) => teamId).toSorted()).toEqual([2, 3, 4])
  })

  interface Kept {
    readonly id: number | string
    readonly leader: boolean | number | null
    readonly made: string
  }

  function readKept(ids: readonly number[]): Promise<readonly Kept[]> {
    return changeRows(
      `select id, leader, cast(created_at as text) as made from team_memberships where id in (${ids}) order by id`,
    )
  }

  async function changeRows(text: string): Promise<readonly Kept[]> {
    if (harness.engine === 'PostgreSQL') return askPostgres<Kept>(url, text)
    const client = new SqliteDatabase(url.slice('sqlite:'.length))
    const statement = client.prepare<[], Kept>(text)
    const rows = statement.reader ? statement.all() : []
    if (!statement.reader) statement.run()
    client.close()
    return rows
  }
})
