import { beforeEach, expect, test } from 'vitest'
import type { Loaders } from '../../../src/domain/loaders.ts'
import { createMemberships } from '../../../src/domain/memberships/memberships.ts'
import type { Store } from '../../../src/domain/store.ts'
import { Pace } from '../../../src/fairness/pace.ts'
import { createLoaders } from '../../../src/store/batch-loaders.ts'
import { eachStore } from '../databases/each-store.ts'
import { by } from '../databases/origin.ts'

const page = { after: null, before: null, limit: 10, fromEnd: false }

eachStore(harness => {
  const statements: string[] = []
  const onStatement = (statement: string) => {
    // Sent once in a turn of the event loop, whatever is read or was changed in it.
    if (!/^PRAGMA data_version$|pg_notify/.test(statement)) statements.push(statement)
  }
  let store: Store
  beforeEach(async () => {
    store = await harness.open({ onStatement })
    for (let id = 1; id <= 60; id += 1) await store.memberships.add(by('a'), { userId: id, teamId: 100 + id })
  })

  const loadersOf = (accountCode: string) =>
    createLoaders({ store, accountCode, waitForTurn: async () => {}, pace: new Pace(async () => {}) })

  async function countStatements(work: () => Promise<unknown>): Promise<number> {
    statements.length = 0
    await work()
    return statements.length
  }

  const ids = (length: number) => Array.from({ length }, (_, index) => index + 1)

  test('a list is one statement, of one id or of a thousand', async () => {
    const memberships = createMemberships(store)
    expect(await countStatements(() => memberships.list('a', [1]))).toBe(1)
    expect(await countStatements(() => memberships.list('a', ids(1_000)))).toBe(1)
    expect(await countStatements(() => memberships.list('a', []))).toBe(0)
  })

  test.each([1, 60])('memberships with users and teams are three statements for %d of them', async count => {
    const { membership, user, team } = loadersOf('a')
    const load = () =>
      Promise.all(
        ids(count).map(async id => {
          const row = await membership.load(id)
          if (row === null) throw new Error(`Membership ${id} is not there.`)
          return Promise.all([user.load(row.userId), team.load(row.teamId), user.load(row.userId)])
        }),
      )
    expect(await countStatements(load)).toBe(3)
  })

  test.each([1, 60])('pages are a statement for each side and distinct page, for %d parents', async count => {
    const loaders = loadersOf('a')
    const loadAll = (load: Loaders['membershipsOfUser']) =>
      ids(count).flatMap(id => [load(id, page), load(id, { ...page }), load(id, { ...page, fromEnd: true })])
    const load = () =>
      Promise.all([...loadAll(loaders.membershipsOfUser), ...loadAll(loaders.membershipsOfTeam)])
    expect(await countStatements(load)).toBe(4)
  })

  test('loaders answer null and no memberships where there is nothing, also to another account', async () => {
    for (const [accountCode, id] of [
      ['a', 1_000],
      ['b', 1],
    ] as const) {
      const loaders = loadersOf(accountCode)
      expect(await loaders.membership.load(id)).toBeNull()
      expect(await loaders.user.load(id)).toBeNull()
      expect(await loaders.team.load(100 + id)).toBeNull()
      expect(await loaders.membershipsOfUser(id, page)).toEqual([])
      expect(await loaders.membershipsOfTeam(100 + id, page)).toEqual([])
    }
  })

  const isBracket = (statement: string) => /^(begin|commit|rollback)/i.test(statement)

  test('a change is one transaction, with all that belongs to it', async () => {
    await countStatements(() => store.memberships.add(by('a'), { userId: 1, teamId: 1 }))
    const brackets = statements.filter(isBracket)
    // A single statement is a transaction of its own.
    if (harness.engine === 'PostgreSQL') expect(statements).toHaveLength(1)
    else
      expect([brackets.length, statements.at(0), statements.at(-1)]).toEqual([2, 'BEGIN IMMEDIATE', 'COMMIT'])
  })

  test('a change that finds nothing to keep leaves nothing', async () => {
    await countStatements(() => store.memberships.move(by('a'), 10_000, { userId: 77 }, null))
    if (harness.engine === 'SQLite') expect(statements.at(-1)).toMatch(/^rollback/i)
    expect(await store.users.findByIds('a', [77])).toEqual([])
    expect(await store.events.newest('a')).toBe(await lastEvent())
  })

  async function lastEvent(): Promise<number> {
    const events = await store.events.listAfter('a', 0, 10_000)
    return events.at(-1)?.sequence ?? 0
  }
})
