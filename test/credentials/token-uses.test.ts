import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTokenUses, type TokenUses, type UsedToken } from '../../src/credentials/token-uses.ts'
import { hashToken, newApiToken } from '../../src/domain/directory/api-token.ts'
import type { Store } from '../../src/domain/store.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startApp } from '../http/edge/start-app.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'
import { by } from '../store/databases/origin.ts'

const folder = makeTempFolder()
const path = `${folder.path}/rostrum.db`
const statements: string[] = []
let store: Store
let errors: unknown[]
let uses: TokenUses

beforeAll(async () => {
  store = await openStore({ url: `sqlite:${path}`, onStatement: sql => statements.push(sql) })
  await store.users.save(by('beta'), 7, {})
})
afterAll(async () => {
  await store.close()
  folder.remove()
})
beforeEach(() => {
  errors = []
  statements.length = 0
  uses = createTokenUses({ store: store.tokens, onError: error => errors.push(error) })
})

async function makeToken(): Promise<UsedToken> {
  const sha256 = hashToken(newApiToken())
  return store.tokens.create({ accountCode: 'beta', userId: 7, label: null, scopes: [], sha256 })
}

async function readDays(tokens: readonly UsedToken[]): Promise<unknown[]> {
  const byId = new Map((await store.tokens.list('beta')).map(({ id, lastUsedOn }) => [id, lastUsedOn]))
  return tokens.map(({ id }) => byId.get(id))
}

const countWrites = () => statements.filter(statement => statement.includes('set last_used_on')).length

test('many uses of many tokens in one day are one write, and the next day is another', async () => {
  const tokens = [await makeToken(), await makeToken()]
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-01-31T23:59:59.999Z') })
  try {
    for (let n = 0; n < 100; n++) for (const token of tokens) uses.note(token)
    await uses.close()
    for (const token of tokens) uses.note(token)
    await uses.close()
    expect([countWrites(), await readDays(tokens)]).toEqual([1, ['2027-01-31', '2027-01-31']])
    vi.setSystemTime(new Date('2027-02-01T00:00:00Z'))
    for (const token of tokens.slice(1)) uses.note(token)
    await uses.close()
    expect([countWrites(), await readDays(tokens)]).toEqual([2, ['2027-01-31', '2027-02-01']])
  } finally {
    vi.useRealTimers()
  }
})

test('a use before midnight that is written after it keeps its day', async () => {
  const tokens = [await makeToken(), await makeToken()]
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-01-31T23:59:59.999Z') })
  try {
    for (const token of tokens) uses.note(token)
    vi.setSystemTime(new Date('2027-02-01T00:00:00Z'))
    for (const token of tokens.slice(1)) uses.note(token)
    await uses.close()
    expect(await readDays(tokens)).toEqual(['2027-01-31', '2027-02-01'])
  } finally {
    vi.useRealTimers()
  }
})

test('uses are written after a minute, and a write that fails is tried again each minute', async () => {
  const token = await makeToken()
  const other = new Database(path)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    other.exec(`create trigger no_writes before update on api_tokens begin select raise(abort, 'full'); end`)
    uses.note(token)
    await vi.advanceTimersByTimeAsync(59_000)
    expect(countWrites()).toBe(0)
    await vi.advanceTimersByTimeAsync(1_000)
    await expect.poll(() => errors.length).toBe(1)
    other.exec('drop trigger no_writes')
    await vi.advanceTimersByTimeAsync(60_000)
    await expect.poll(() => readDays([token])).toEqual([new Date().toISOString().slice(0, 10)])
    expect(errors).toHaveLength(1)
  } finally {
    vi.useRealTimers()
    other.close()
  }
})

test('at most 10,000 uses wait, and the next ones are noted by a later use', async () => {
  const tokens = Array.from({ length: 10_001 }, (_, index) => ({ id: 1_000_000 + index, lastUsedOn: null }))
  for (const token of tokens) uses.note(token)
  expect([tokens.at(9_999)?.lastUsedOn, tokens.at(10_000)?.lastUsedOn]).toEqual([expect.any(String), null])
  await uses.close()
  expect(countWrites()).toBe(10)
})

test('requests cost no statement for it, and the gateway writes the day when it stops', async () => {
  const url = `sqlite:${folder.path}/served.db`
  const app = await startApp({ DATABASE_URL: url })
  const token = await app.issueToken('beta')
  for (let n = 0; n < 3; n++) expect((await app.graphql('{ viewer { email } }', {}, token)).status).toBe(200)
  expect(app.statements.join()).not.toContain('last_used_on =')
  await app.close()
  const after = await openStore({ url })
  const days = (await after.tokens.list(null)).map(({ lastUsedOn }) => lastUsedOn)
  await after.close()
  expect(days).toEqual([null, new Date().toISOString().slice(0, 10)])
})
