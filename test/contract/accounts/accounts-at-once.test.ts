import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashToken } from '../../../src/domain/directory/api-token.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { startApp, type TestApp } from '../../http/edge/start-app.ts'
import { createDatabase } from '../../store/databases/create-database.ts'
import { by } from '../../store/databases/origin.ts'

interface Tenant {
  readonly code: string
  readonly token: string
  readonly tokenId: number
  readonly ids: readonly number[]
}

// Of every account the same numbers: what tells their users, teams and memberships apart is the account alone.
const userId = 7
const teamIds = [3, 4, 5]

let gateway: TestApp
/** Another program on the same database. */
let operator: Store
const tenants: Tenant[] = []

beforeAll(async () => {
  const url = await createDatabase()
  gateway = await startApp({ DATABASE_URL: url, ROSTRUM_SANDBOXES: '1' })
  operator = await openStore({ url })
  for (let number = 1; number <= 50; number += 1) tenants.push(await makeTenant(`account-${number}`))
})
afterAll(async () => {
  await operator.close()
  await gateway.close()
})

async function makeTenant(code: string): Promise<Tenant> {
  const ids: number[] = []
  for (const teamId of teamIds) {
    const added = await operator.memberships.add(by(code), { userId, teamId })
    if (added.kind === 'added') ids.push(added.membership.id)
    await operator.teams.save(by(code), teamId, { name: `${teamId} of ${code}` })
  }
  await operator.users.save(by(code), userId, { email: `ann@${code}.example` })
  const token = `token-of-${code}`
  const sha256 = hashToken(token)
  const scopes = ['memberships:read']
  const { id } = await operator.tokens.create({ accountCode: code, userId, label: null, scopes, sha256 })
  return { code, token, tokenId: id, ids }
}

const document = `query ($ids: [ID!]!, $foreign: ID!, $user: ID!) {
  viewer { accountCode }
  teamMemberships(ids: $ids) { id user { email } team { name } }
  teamMembership(id: $foreign) { id }
  user(id: $user) { email }
}`

// For ids of its own, between some that it does not have.
async function ask(tenant: Tenant) {
  const ids = [101, 102, 103, 104, 105, ...tenant.ids, 106, 107, 108, 109]
  const { status, body } = await gateway.graphql(document, { ids, foreign: 101, user: userId }, tenant.token)
  return { status, data: body?.data ?? body?.errors }
}

function ownRows({ code, ids }: Tenant) {
  const user = { email: `ann@${code}.example` }
  return {
    status: 200,
    data: {
      viewer: { accountCode: code },
      teamMemberships: ids.map((id, index) => ({
        id: String(id),
        user,
        team: { name: `${teamIds[index]} of ${code}` },
      })),
      teamMembership: null,
      user,
    },
  }
}

const askAll = (asking: readonly Tenant[]) => Promise.all(asking.map(ask))

async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const before = gateway.statements.length
  await work()
  return gateway.statements.length - before
}

test('50 accounts that ask at once are answered by shared statements, each with rows of its own alone', async () => {
  const alone = await countStatements(async () => {
    for (const tenant of tenants) expect(await ask(tenant)).toEqual(ownRows(tenant))
  })
  const rounds = 10
  const together = await countStatements(async () => {
    for (let round = 1; round <= rounds; round += 1) {
      expect(await askAll(tenants)).toEqual(tenants.map(ownRows))
    }
  })
  // While connections are opened, requests come in turns of their own.
  expect(together).toBeLessThan((rounds * alone) / 2)
})

test('a token that is revoked elsewhere is refused from then on, and those beside it are answered', async () => {
  const revoked = new Set<Tenant>()
  const answerOf = (tenant: Tenant) =>
    revoked.has(tenant) ? { status: 401, code: 'UNAUTHENTICATED' } : ownRows(tenant)
  const askAllTerse = async () =>
    (await askAll(tenants)).map(({ status, data }) =>
      status === 200 ? { status, data } : { status, code: data?.[0]?.extensions.code },
    )
  for (const tenant of tenants.filter((_, index) => index % 5 === 0)) {
    await operator.tokens.revoke(tenant.tokenId)
    revoked.add(tenant)
    expect(await askAllTerse()).toEqual(tenants.map(answerOf))
  }
  expect(revoked.size).toBe(10)
})

test('a token that is revoked while others ask is good or refused, and changes no answer of another', async () => {
  const [first, ...others] = tenants.filter((_, index) => index % 5 === 1)
  if (first === undefined) throw new Error('There is no such account.')
  const [[own, ...answers]] = await Promise.all([
    askAll([first, ...others]),
    operator.tokens.revoke(first.tokenId),
  ])
  if (own?.status !== 401) expect(own).toEqual(ownRows(first))
  expect(answers).toEqual(others.map(ownRows))
  expect((await ask(first)).status).toBe(401)
})
