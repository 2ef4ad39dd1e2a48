import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { hashToken, newApiToken } from '../../src/domain/directory/api-token.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startApp, type TestApp } from '../http/edge/start-app.ts'
import { makeTempFolder } from '../server/processes/temp-folder.ts'

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

async function issueShortToken(): Promise<string> {
  const short = newApiToken()
  const [owner] = await app.app.store.tokens.list('beta')
  await app.app.store.tokens.create({
    ...{ accountCode: 'beta', userId: owner?.userId ?? 0, label: null, scopes: ['memberships:read'] },
    ...{ sha256: hashToken(short), expiresAt: new Date(Date.now() + 3_600_000) },
  })
  return short
}

async function anHourLater(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  try {
    await work()
  } finally {
    vi.useRealTimers()
  }
}

test('a cached token stops at its expiry, like an unknown one, and costs no look-up then', async () => {
  token = await issueShortToken()
  expect((await view()).status).toBe(200)
  await anHourLater(async () => {
    const refused = await view()
    const unknown = await app.graphql('{ viewer { email scopes } }', {}, newApiToken())
    expect([refused.status, refused.body.errors[0].message]).toEqual([401, unknown.body.errors[0].message])
    expect(await countLookUps(view)).toBe(0)
  })
})

test('a token that expires ends its stream before any other event', async () => {
  token = await issueShortToken()
  const query = 'subscription { teamMembershipChanged { cursor } }'
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query }),
  })
  expect(response.status).toBe(200)
  const writer = await app.issueToken('beta', ['memberships:write'])
  await anHourLater(async () => {
    const add = 'mutation { addTeamMembership(input: { userId: 99, teamId: 99 }) { id } }'
    expect((await app.graphql(add, {}, writer)).body.errors).toBeUndefined()
    const text = await response.text()
    expect(text).toContain('UNAUTHENTICATED')
    expect(text).not.toContain('"cursor"')
  })
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
