import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashToken, newApiToken } from '../../src/domain/directory/api-token.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { openClient } from '../store/databases/ask-postgres.ts'
import { createDatabase } from '../store/databases/create-database.ts'
import { by } from '../store/databases/origin.ts'

let url: string
let app: TestApp
let token: string

beforeAll(async () => {
  url = await createDatabase()
  app = await startApp({ DATABASE_URL: url, ROSTRUM_SANDBOXES: '1' })
  await app.app.start()
  token = await app.issueToken('beta', ['memberships:read'])
})
afterAll(async () => {
  await app.close()
})

const view = (asked: string) => app.graphql('{ viewer { email } }', {}, asked)
const range = (length: number) => Array.from({ length }, (_, index) => index)

async function countStatements(part: string, work: () => Promise<unknown>): Promise<number> {
  app.statements.length = 0
  await work()
  return app.statements.filter(statement => statement.includes(part)).length
}

test('an unknown token costs PostgreSQL one lookup a second, and a known one is looked up each time', async () => {
  const askTimes = (asked: string, status: number) => async () => {
    for (const _ of range(5)) expect((await view(asked)).status).toBe(status)
  }
  const start = performance.now()
  const looks = await countStatements('from "api_tokens"', askTimes('made-up', 401))
  expect(looks).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - start) / 1_000))
  expect(looks).toBeLessThan(5)
  expect(await countStatements('from "api_tokens"', askTimes(token, 200))).toBe(5)
})

test('lookups of known tokens do not wait for those of many unknown ones', async () => {
  await view(token)
  const work = () => Promise.all([view(token), ...range(50).map(n => view(`made-up-${n}`)), view(token)])
  const answers = await work()
  expect([answers.at(0)?.status, answers.at(1)?.status, answers.at(-1)?.status]).toEqual([200, 401, 200])
})

test('a token that another gateway creates after a refusal works within a second', async () => {
  const late = newApiToken()
  expect((await view(late)).status).toBe(401)
  const other = await openStore({ url })
  await other.users.save(by('beta'), 1, {})
  await other.tokens.create({
    accountCode: 'beta',
    userId: 1,
    label: null,
    scopes: [],
    sha256: hashToken(late),
  })
  await other.close()
  await expect.poll(async () => (await view(late)).status, { timeout: 3_000 }).toBe(200)
})

test('concurrent readiness checks share one ping of the store, which is repeated after a second', async () => {
  const ready = async () => (await app.send('/ready', { token: null })).status
  await expect.poll(ready).toBe(200)
  const rival = await openClient(url)
  await rival.query('begin; lock table accounts')
  const start = performance.now()
  const pings = await countStatements('select 1 from accounts', async () => {
    const statuses = await Promise.all(range(50).map(ready))
    expect(new Set(statuses)).toEqual(new Set([503]))
  })
  expect(pings).toBeLessThanOrEqual(Math.ceil((performance.now() - start) / 1_000))
  await rival.end()
  await expect.poll(ready).toBe(200)
})
