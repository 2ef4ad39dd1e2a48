import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { hashToken } from '../../src/domain/directory/api-token.ts'
import { prepareFirstStart } from '../../src/domain/directory/first-start.ts'
import type { Store } from '../../src/domain/store.ts'
import { StartError } from '../../src/errors.ts'
import { openStore } from '../../src/store/open-store.ts'
import { connectionBroke } from '../../src/store/postgres/connection/explain-failure.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { by } from '../store/databases/origin.ts'

const nothingNew = { createdToken: null, createdAccount: false }

const folder = makeTempFolder()
afterAll(() => folder.remove())

let store: Store
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' })
})
afterEach(() => store.close())

const find = (token: string) => store.tokens.findBySha256(hashToken(token))

test('an empty store gets the account demo with one admin token, which is given once', async () => {
  const { createdToken, createdAccount } = await prepareFirstStart(store, null)
  expect(createdAccount).toBe(true)
  expect(createdToken).toMatch(/^rst_[A-Za-z0-9_-]{43}$/)
  expect(await find(createdToken ?? '')).toMatchObject([
    { accountCode: 'demo', displayName: 'Administrator', email: null, scopes: ['admin'] },
  ])
  expect(await prepareFirstStart(store, null)).toEqual(nothingNew)
  expect(await store.tokens.list(null)).toHaveLength(1)
})

test('a start whose database breaks says what to do, and how to get a token that was not shown', async () => {
  const createFirst = () => Promise.reject(connectionBroke(undefined))
  const broken = { ...store, tokens: { ...store.tokens, createFirst, list: createFirst } }
  const line =
    'The start could not finish. The connection to the database broke before it answered: ' +
    'a change may have been made or not. Start again.'
  await expect(prepareFirstStart(broken, 'an admin token of the operator')).rejects.toThrow(
    new StartError(line),
  )
  const empty = { ...broken, accounts: { ...store.accounts, isEmpty: () => Promise.resolve(true) } }
  const more = ' If it shows no token, make one: `npm run token -- --account demo --scope admin`.'
  await expect(prepareFirstStart(empty, null)).rejects.toThrow(new StartError(`${line}${more}`))
})

test('a start on a store that has an account waits for no lock', async () => {
  const path = join(folder.path, 'locked.db')
  const first = await openStore({ url: `sqlite:${path}` })
  await prepareFirstStart(first, null)
  await first.close()
  const held = await openStore({ url: `sqlite:${path}` })
  const other = new SqliteDatabase(path)
  onTestFinished(async () => {
    other.close()
    await held.close()
  })
  other.exec('begin immediate')
  expect(await prepareFirstStart(held, null)).toEqual(nothingNew)
})

test('a store that has an account gets no token', async () => {
  await store.accounts.ensure('beta')
  expect(await prepareFirstStart(store, null)).toEqual(nothingNew)
  expect(await store.tokens.list(null)).toEqual([])
})

test('the operator’s token is the admin token of an empty store, and is not given back', async () => {
  const started = await prepareFirstStart(store, 'operators-own-token')
  expect(started).toEqual({ createdToken: null, createdAccount: true })
  expect(await find('operators-own-token')).toMatchObject([{ accountCode: 'demo', scopes: ['admin'] }])
  const before = await store.tokens.list(null)
  expect(await prepareFirstStart(store, 'operators-own-token')).toEqual(nothingNew)
  expect(await store.tokens.list(null)).toEqual(before)
})

test('another operator’s token takes the place of the earlier one, for the same user', async () => {
  await prepareFirstStart(store, 'operators-own-token')
  await prepareFirstStart(store, 'operators-new-token')
  expect(await find('operators-own-token')).toEqual([])
  const [found] = await find('operators-new-token')
  const listed = await store.tokens.list('demo')
  expect(listed.map(({ userId }) => userId)).toEqual([found?.userId, found?.userId])
})

test('going back to the earlier operator’s token makes it valid again', async () => {
  for (const token of ['operators-own-token', 'operators-new-token', 'operators-own-token']) {
    await prepareFirstStart(store, token)
  }
  expect(await find('operators-own-token')).toHaveLength(1)
  expect(await find('operators-new-token')).toEqual([])
})

test('the operator’s token of an existing store leaves other tokens valid', async () => {
  const { createdToken } = await prepareFirstStart(store, null)
  expect(await prepareFirstStart(store, 'operators-own-token')).toEqual(nothingNew)
  expect(await find(createdToken ?? '')).toHaveLength(1)
  expect(await find('operators-own-token')).toMatchObject([{ accountCode: 'demo', scopes: ['admin'] }])
})

test('the operator’s token is valid in demo also where another account has the same', async () => {
  await store.users.save(by('beta'), 7, {})
  const sha256 = hashToken('operators-own-token')
  await store.tokens.create({ accountCode: 'beta', userId: 7, label: null, scopes: ['admin'], sha256 })
  await prepareFirstStart(store, 'operators-own-token')
  const accounts = (await find('operators-own-token')).map(({ accountCode }) => accountCode)
  expect(accounts).toEqual(['beta', 'demo'])
})

test('an expired token with the same text does not stand for the operator’s', async () => {
  await store.accounts.ensure('demo')
  await store.users.save(by('demo'), 7, {})
  const [sha256, expiresAt] = [hashToken('operators-own-token'), new Date(0)]
  await store.tokens.create({
    accountCode: 'demo',
    userId: 7,
    label: null,
    scopes: ['admin'],
    sha256,
    expiresAt,
  })
  await prepareFirstStart(store, 'operators-own-token')
  expect((await find('operators-own-token')).map(token => token.expiresAt)).toEqual([expiresAt, null])
})

test('a first start that fails at its token leaves the store empty, and the next one makes a token', async () => {
  const path = join(folder.path, 'first.db')
  const stored = await openStore({ url: `sqlite:${path}` })
  onTestFinished(() => stored.close())
  const client = new SqliteDatabase(path)
  onTestFinished(() => void client.close())
  client.exec(`create trigger full before insert on api_tokens begin select raise(abort, 'full'); end`)
  await expect(prepareFirstStart(stored, null)).rejects.toThrow('full')
  expect(await stored.accounts.isEmpty()).toBe(true)
  client.exec('drop trigger full')
  expect((await prepareFirstStart(stored, null)).createdToken).not.toBe(null)
})
