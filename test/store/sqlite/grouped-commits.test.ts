import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { hashToken } from '../../../src/domain/directory/api-token.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { createTransactions } from '../../../src/store/sqlite/connection/transactions.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { by } from '../databases/origin.ts'
import { stopClock } from './stop-clock.ts'

const folder = makeTempFolder()
const statements: string[] = []
let store: Store

const open = () =>
  openStore({
    url: `sqlite:${folder.path}/store.db`,
    onStatement: statement => statements.push(statement),
  })

beforeAll(async () => {
  store = await open()
})
afterAll(async () => {
  await store.close()
  folder.remove()
})

// Each test has an account, so that none meets another's rows.
let accountCode = 'a0'
beforeEach(() => {
  accountCode = `a${Number(accountCode.slice(1)) + 1}`
  statements.length = 0
})

const range = (length: number) => Array.from({ length }, (_, index) => index + 1)
const create = (userId: number, teamId = 1) => store.memberships.add(by(accountCode), { userId, teamId })
const move = (id: number, userId: number, ifVersions: number[] | null = null) =>
  store.memberships.move(by(accountCode), id, { userId }, ifVersions)
const count = (pattern: RegExp) => statements.filter(statement => pattern.test(statement)).length

async function createdId(userId: number, teamId = 1): Promise<number> {
  const added = await create(userId, teamId)
  if (added.kind !== 'added') throw new Error('The pair was there before.')
  return added.membership.id
}

test('64 creates at once share one commit', async () => {
  stopClock()
  const results = await Promise.all(range(64).map(userId => create(userId)))
  expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['added']))
  expect([count(/^BEGIN/), count(/^COMMIT/)]).toEqual([1, 1])
})

test('a lone change is written by the end of the turn after the one it came in', async () => {
  const added = create(1)
  await nextTurn()
  await nextTurn()
  expect(count(/^COMMIT/)).toBe(1)
  await added
})

test('no transaction holds more than 256 changes, and all are written', async () => {
  const results = await Promise.all(range(1_000).map(userId => create(userId)))
  expect(results.every(({ kind }) => kind === 'added')).toBe(true)
  const sizes = statements
    .join('\n')
    .split('BEGIN IMMEDIATE')
    .map(text => text.split('insert into "team_memberships"').length - 1)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(1_000)
})

test('slow changes are split into several commits, so that reads come in between', async () => {
  const client = new Database(':memory:')
  const transactions = createTransactions(client, () => {})
  let turns = 0
  let isDone = false
  const countTurns = () => {
    turns += 1
    if (!isDone) setImmediate(countTurns)
  }
  const long = () => {
    const endAt = performance.now() + 5
    while (performance.now() < endAt);
  }
  const changes = range(10).map(() => transactions.write(long))
  setImmediate(countTurns)
  await Promise.all(changes)
  isDone = true
  expect(turns).toBeGreaterThanOrEqual(4)
  client.close()
})

test('changes that share a commit each get their own answer, and only those that failed are undone', async () => {
  const [first, second, third, fourth] = [
    await createdId(1),
    await createdId(2),
    await createdId(3),
    await createdId(4),
  ]
  const results = await Promise.all([
    create(10),
    create(10),
    move(first, 50, [9]),
    move(first, 11),
    move(second, 11),
    move(99_999, 51),
    store.memberships.remove(by(accountCode), third, null),
    move(third, 52),
    create(3),
    store.memberships.remove(by(accountCode), fourth, [7]),
  ])
  const added = results[0].kind === 'added' ? results[0].membership.id : 0
  expect(results).toMatchObject([
    { kind: 'added', membership: { userId: 10, version: 1 } },
    { kind: 'duplicate', existingId: added },
    { kind: 'stale', version: 1 },
    { kind: 'moved', membership: { id: first, userId: 11, version: 2 } },
    { kind: 'duplicate', existingId: first },
    { kind: 'missing' },
    { kind: 'removed', membership: { id: third } },
    { kind: 'missing' },
    { kind: 'added', membership: { userId: 3 } },
    { kind: 'stale', version: 1 },
  ])
  const page = { after: null, before: null, limit: 20, fromEnd: false }
  const rows = await store.memberships.pageByTeams(accountCode, [1], page)
  expect(rows.map(({ userId }) => userId).sort((a, b) => a - b)).toEqual([2, 3, 4, 10, 11])
  // The records that a failed move made for its new user went with it.
  expect(await store.users.findByIds(accountCode, [50, 51, 52])).toEqual([])
})

test('a change that throws costs itself alone', async () => {
  stopClock()
  await createdId(1)
  statements.length = 0
  const token = { accountCode, userId: 999, label: null, scopes: [], sha256: hashToken('of nobody') }
  const results = await Promise.allSettled([create(2), store.tokens.create(token), create(3)])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: { message: expect.stringMatching(/FOREIGN KEY/) } })
  expect(count(/^COMMIT/)).toBe(1)
  expect(await store.users.findByIds(accountCode, [2, 3])).toHaveLength(2)
  expect(await store.tokens.list(accountCode)).toEqual([])
})

test('a store that closes commits the waiting writes', async () => {
  const results = range(300).map(userId => create(userId))
  await store.close()
  expect((await Promise.all(results)).every(({ kind }) => kind === 'added')).toBe(true)
  store = await open()
  expect(await store.users.findByIds(accountCode, range(300))).toHaveLength(300)
})
