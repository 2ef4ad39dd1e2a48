import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashToken } from '../../../src/domain/directory/api-token.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { caseCommit } from '../cases/case-commit.ts'
import { createDatabase } from '../databases/create-database.ts'
import { by } from '../databases/origin.ts'

let store: Store
const statements: string[] = []
let onSent = (_statement: string) => {}
beforeAll(async () => {
  store = await openStore({
    url: await createDatabase(),
    onStatement: statement => {
      statements.push(statement)
      onSent(statement)
    },
  })
  for (const account of ['a', 'b']) {
    for (let id = 1; id <= 3; id += 1) {
      await store.users.save(by(account), id, {
        email: `${account}${id}@example.com`,
        displayName: `{"${account}",\\}`,
      })
      await store.teams.save(by(account), id, { name: null })
    }
  }
})
afterAll(async () => {
  await store.close()
})

async function countStatements<T>(work: () => Promise<T>) {
  statements.length = 0
  return { result: await work(), count: statements.length }
}

test('asks for rows of the same turn share a statement, and each gets rows of its account alone', async () => {
  const { result, count } = await countStatements(() =>
    Promise.all([
      store.users.findByIds('a', [1]),
      store.users.findByIds('b', [1, 3]),
      store.users.findByIds('a', [2, 99]),
      store.users.findByIds('a', [1]),
      store.users.findByIds('c', [1]),
      store.users.findByIds('b', []),
    ]),
  )
  expect(count).toBe(1)
  const emails = result.map(users => users.map(({ email }) => email).sort())
  expect(emails).toEqual([
    ['a1@example.com'],
    ['b1@example.com', 'b3@example.com'],
    ['a2@example.com'],
    ['a1@example.com'],
    [],
    [],
  ])
  expect(result[0]).toEqual([{ id: 1, email: 'a1@example.com', displayName: '{"a",\\}' }])
})

test('a long list has its own statement, and an account code is plain text', async () => {
  const long = Array.from({ length: 1_000 }, (_, index) => index + 1)
  const { result, count } = await countStatements(() =>
    Promise.all([
      store.teams.findByIds('a', long),
      store.teams.findByIds('a","b', [1, 2]),
      store.teams.findByIds('a', [3]),
    ]),
  )
  expect(count).toBe(2)
  expect(result.map(teams => teams.map(({ id }) => id))).toEqual([[1, 2, 3], [], [3]])
})

test('a statement that fails fails all of its asks, and no other', async () => {
  const tooLarge = 2 ** 70
  const reads = await Promise.allSettled([
    store.teams.findByIds('a', [1]),
    store.teams.findByIds('a', [tooLarge]),
    store.users.findByIds('a', [1]),
  ])
  expect(reads.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  expect(await store.teams.findByIds('a', [1])).toHaveLength(1)
})

test('tokens of all accounts share a statement, unknown tokens another, and a revoked token is not found', async () => {
  const create = (accountCode: string, secret: string) =>
    store.tokens.create({ accountCode, userId: 1, label: null, scopes: [], sha256: hashToken(secret) })
  const [one, two] = [await create('a', 'one'), await create('b', 'two')]
  const find = () =>
    countStatements(() =>
      Promise.all(['one', 'two', 'none', 'one'].map(secret => store.tokens.findBySha256(hashToken(secret)))),
    )
  const idsOf = ({ result, count }: Awaited<ReturnType<typeof find>>) => ({
    count,
    ids: result.map(tokens => tokens.map(({ id }) => id)),
  })
  expect(idsOf(await find())).toEqual({ count: 1, ids: [[one.id], [two.id], [], [one.id]] })
  expect(idsOf(await find())).toEqual({ count: 2, ids: [[one.id], [two.id], [], [one.id]] })
  await store.tokens.revoke(one.id)
  expect(idsOf(await find())).toEqual({ count: 2, ids: [[], [two.id], [], []] })
})

test('a token is created and read in one transaction, so that a failure leaves none', async () => {
  const token = { accountCode: 'a', userId: 1, label: null, scopes: [], sha256: hashToken('three') }
  await countStatements(() => store.tokens.create(token))
  expect([statements[0]?.slice(0, 5), statements.length, statements.at(-1)]).toEqual(['begin', 5, 'commit'])
})

test('an operator’s own token of two accounts is found in both, the older first', async () => {
  const sha256 = hashToken('shared')
  const make = (accountCode: string) =>
    store.tokens.create({ accountCode, userId: 1, label: null, scopes: ['admin'], sha256 })
  const [first, second] = [await make('b'), await make('a')]
  expect(await store.tokens.findBySha256(sha256)).toEqual(
    [first, second].map(token => ({ ...token, sha256 })),
  )
})

test('an account whose last answer to a statement was long gets one such answer at a time', async () => {
  const text = JSON.stringify({ text: 'x'.repeat(2 ** 18) })
  const ids = Array.from({ length: 20 }, (_, index) => index + 1)
  for (const _ of ids) await store.cases.commit(caseCommit({ data: text }))
  await store.cases.findByIds('a', [1])
  let answered = 0
  const asked: number[] = []
  onSent = statement => {
    if (statement.includes('unbounded preceding')) asked.push(asked.length + 1 - answered)
  }
  const reads = await Promise.all(
    ids.map(async id => {
      const rows = await store.cases.findByIds('a', [id])
      answered += 1
      return rows
    }),
  )
  expect(reads.map(([row]) => row?.data?.text)).toEqual(ids.map(() => text))
  expect(asked).toHaveLength(ids.length)
  // The read before may be answered already, and not have returned.
  expect(Math.max(...asked)).toBeLessThanOrEqual(2)
})
