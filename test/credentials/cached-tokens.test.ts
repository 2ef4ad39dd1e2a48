import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { hashToken, newApiToken } from '../../src/domain/directory/api-token.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startApp, type TestApp } from '../http/start-app.ts'
import { makeTempFolder } from '../server/temp-folder.ts'

const folder = makeTempFolder()
const path = `${folder.path}/rostrum.db`
let app: TestApp
let token: string

beforeAll(async () => {
  app = await startApp({ DATABASE_URL: `sqlite:${path}` })
})
afterAll(async () => {
  await app.close()
  folder.remove()
})
beforeEach(async () => {
  token = await app.issueToken('beta', ['memberships:read'])
})

const view = () => app.graphql('{ viewer { email scopes } }', {}, token)

async function countLookUps(work: () => Promise<unknown>): Promise<number> {
  app.statements.length = 0
  await work()
  return app.statements.filter(statement => statement.includes('from "api_tokens"')).length
}

// A write to the file by another program while the gateway serves it.
function changeFile(statement: string): void {
  const other = new Database(path)
  try {
    expect(other.prepare(statement).run().changes).toBeGreaterThan(0)
  } finally {
    other.close()
  }
}

test('a token is looked up once while nothing changes', async () => {
  const looks = await countLookUps(async () => {
    for (let n = 0; n < 5; n++) expect((await view()).status).toBe(200)
  })
  expect(looks).toBe(1)
})

test('five changes of memberships, each with a new user, cost one look-up of the token', async () => {
  token = await app.issueToken('beta')
  const add = 'mutation ($userId: ID!) { addTeamMembership(input: { userId: $userId, teamId: 3 }) { id } }'
  const looks = await countLookUps(async () => {
    for (let userId = 1; userId <= 5; userId++) {
      expect((await app.graphql(add, { userId }, token)).body.errors).toBeUndefined()
    }
  })
  expect(looks).toBe(1)
})

test('a token that another program adds after a refusal works', async () => {
  const late = newApiToken()
  const ask = () => app.graphql('{ viewer { email } }', {}, late)
  expect((await ask()).status).toBe(401)
  changeFile(
    `update api_tokens set sha256 = x'${hashToken(late).toString('hex')}'
      where sha256 = x'${hashToken(token).toString('hex')}'`,
  )
  expect((await ask()).status).toBe(200)
  expect((await view()).status).toBe(401)
})

test('a token that another connection revokes fails on the next request, every time', async () => {
  const other = await openStore({ url: `sqlite:${path}` })
  try {
    for (let n = 0; n < 20; n++) {
      token = await app.issueToken('beta')
      expect((await view()).status).toBe(200)
      await other.tokens.revoke((await other.tokens.list('beta')).at(-1)?.id ?? 0)
      expect((await view()).status).toBe(401)
    }
  } finally {
    await other.close()
  }
})

test('the next request has scopes and email that were changed in the file', async () => {
  expect((await view()).body.data.viewer).toEqual({ email: null, scopes: ['memberships:read'] })
  changeFile(
    `update api_tokens set scopes = 'tasks:execute' where revoked_at is null and account_code = 'beta'`,
  )
  expect((await view()).body.data.viewer).toEqual({ email: null, scopes: ['tasks:execute'] })
  changeFile(`update users set email = 'ann@example.com' where account_code = 'beta'`)
  expect((await view()).body.data.viewer).toEqual({ email: 'ann@example.com', scopes: ['tasks:execute'] })
})

test('the next request has an email that the gateway itself saved', async () => {
  token = await app.issueToken('gamma', ['admin'])
  const me = (await app.graphql('{ viewer { userId email } }', {}, token)).body.data.viewer
  expect(me.email).toBeNull()
  const save = 'mutation ($id: ID!) { saveUser(input: { id: $id, email: "bo@example.com" }) { id } }'
  expect((await app.graphql(save, { id: me.userId }, token)).body.errors).toBeUndefined()
  expect((await view()).body.data.viewer.email).toBe('bo@example.com')
})
