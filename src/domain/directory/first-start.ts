import { hasCode, StartError } from '../../errors.ts'
import type { Store } from '../store.ts'
import { hashToken, isExpired, newApiToken } from './api-token.ts'
import type { ApiToken, NewApiToken } from './token-store.ts'

const accountCode = 'demo'
const administrator = 'Administrator'
/**
 * The label of admin tokens that the operator has set. A start with another admin token revokes tokens with this label.
 */
export const adminTokenLabel = 'ROSTRUM_ADMIN_TOKEN'

export interface FirstStart {
  /**
   * The token that was created for an empty store, to be shown once. Null if none was created, or the operator set it.
   */
  readonly createdToken: string | null
  readonly createdAccount: boolean
}

/**
 * Creates the account `demo` with one admin token in an empty store. If the operator has set an admin token, makes sure
 * that it is valid there (contract, section 5). A second start with the same token changes nothing. Throws a
 * `StartError` if the store is not available.
 */
export async function prepareFirstStart(store: Store, adminToken: string | null): Promise<FirstStart> {
  try {
    return await prepare(store, adminToken)
  } catch (error) {
    if (!hasCode(error, 'UNAVAILABLE')) throw error
    // The first sentence says what happened. The others advise a caller, not an operator.
    const [reason] = error.message.split(/(?<=\.) /)
    const lostToken =
      adminToken === null
        ? ' If it shows no token, make one: `npm run token -- --account demo --scope admin`.'
        : ''
    throw new StartError(`The start could not finish. ${reason} Start again.${lostToken}`, { cause: error })
  }
}

async function prepare(store: Store, adminToken: string | null): Promise<FirstStart> {
  if (adminToken !== null) {
    const createdAccount = (await store.accounts.isEmpty()) && (await store.accounts.ensure(accountCode))
    await keepAdminToken(store, adminToken)
    return { createdToken: null, createdAccount }
  }
  if (!(await store.accounts.isEmpty())) return { createdToken: null, createdAccount: false }
  const token = newApiToken()
  // One transaction, because no later start makes a token for an account that exists.
  const created = await store.tokens.createFirst(describeToken(token, 'first start'), administrator)
  return created === null
    ? { createdToken: null, createdAccount: false }
    : { createdToken: token, createdAccount: true }
}

async function keepAdminToken(store: Store, token: string): Promise<void> {
  await store.accounts.ensure(accountCode)
  const earlier = (await store.tokens.list(accountCode)).filter(({ label }) => label === adminTokenLabel)
  if ((await findHeld(store, token)).length === 0) {
    const userId = earlier[0]?.userId ?? (await createAdministrator(store))
    await store.tokens.create({ ...describeToken(token, adminTokenLabel), userId })
  }
  // Two gateways that start at once may both have created the token. The older token stays. The list is read before the
  // look-up, so that a token is revoked only if an older, valid one exists.
  const listed = await store.tokens.list(accountCode)
  const [held] = await findHeld(store, token)
  for (const other of listed) {
    if (other.label !== adminTokenLabel || other.revokedAt !== null || other.id === held?.id) continue
    await store.tokens.revoke(other.id)
  }
}

async function findHeld(store: Store, token: string): Promise<ApiToken[]> {
  const tokens = await store.tokens.findBySha256(hashToken(token))
  const isHeld = (found: ApiToken) => found.accountCode === accountCode && found.scopes.includes('admin')
  return tokens.filter(found => isHeld(found) && !isExpired(found))
}

async function createAdministrator(store: Store): Promise<number> {
  const user = await store.users.create(accountCode, { email: null, displayName: administrator })
  return user.id
}

function describeToken(token: string, label: string): Omit<NewApiToken, 'userId'> {
  return { accountCode, label, scopes: ['admin'], sha256: hashToken(token) }
}
