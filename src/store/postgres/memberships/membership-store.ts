import { hasChanged } from '../../../domain/memberships/memberships-bulk-plan.ts'
import type {
  AddResult,
  Membership,
  MembershipPair,
  MembershipStore,
  MoveResult,
  Origin,
  RemoveResult,
} from '../../../domain/store.ts'
import type { Database } from '../../database.ts'
import { createMembershipReads } from '../../entities/membership-reads.ts'
import { createFindStep } from '../../steps.ts'
import { createAccountTurns, type InTurn } from '../connection/account-turns.ts'
import type { EventSignal } from '../connection/event-signal.ts'
import { nothingChanged } from '../connection/explain-failure.ts'
import type { Pool } from '../connection/pool.ts'
import { isUniqueViolation } from '../connection/sql-state.ts'
import type { Transactions } from '../connection/transactions.ts'
import { encodeIds } from '../id-list.ts'
import { createAddMembership } from './add-membership.ts'
import { createChangeMany } from './membership-bulk.ts'
import { createMembershipChanges } from './membership-changes.ts'
import { prepareMembershipStatements } from './membership-statements.ts'

// How often what was in the way may be gone by the time we ask for it.
const maxAttempts = 10
// A bulk holds the account's counters over round trips: were there several of a gateway that hangs, each would hold them until
// PostgreSQL ends it, one after the other.
const maxBulksAtOnce = 1

interface Dependencies {
  readonly database: Database
  readonly pool: Pool
  readonly inTurn: InTurn
  readonly transactions: Transactions
  readonly signal: EventSignal
}

export function createMembershipStore(dependencies: Dependencies): MembershipStore {
  const { database, pool, transactions, inTurn, signal } = dependencies
  const { read } = database
  const statements = prepareMembershipStatements(database)
  const changes = createMembershipChanges(transactions.client)
  const inTurnOfBulks = createAccountTurns({
    account: maxBulksAtOnce,
    tooLate: 'Other changes of this account took too long',
  })
  const addMembership = createAddMembership({ pool, inTurn, signal })
  const findStep = createFindStep(database)
  const changeMany = createChangeMany({ transactions, findStep })
  return {
    ...createMembershipReads(database).reads,

    add: (origin, pair) => untilDecided(() => tryToAdd(origin, pair)),

    move: (origin, id, change, ifVersions) =>
      untilDecided(() => tryToMove({ origin, id, change, ifVersions })),

    remove: (origin, id, ifVersions) => untilDecided(() => tryToRemove(origin, id, ifVersions)),

    async changeMany(origin, changes, mode) {
      const { accountCode } = origin
      const change = () => changeMany(origin, changes, mode)
      const result = await inTurnOfBulks(accountCode, () => inTurn(accountCode, change))
      if (hasChanged(result.results)) signal.announce(origin.accountCode)
      return result
    },
  }

  async function tryToAdd(origin: Origin, pair: MembershipPair): Promise<AddResult | undefined> {
    const added = await transactions.retry(() => addMembership(origin, pair))
    const membership = added ?? (await findStep<Membership>(origin))
    if (membership !== undefined) return { kind: 'added', membership }
    const [existing] = await read(statements.findPair, { accountCode: origin.accountCode, ...pair })
    return existing && { kind: 'duplicate', existingId: existing.id }
  }

  async function tryToMove({ origin, id, change: pair, ifVersions }: Move): Promise<MoveResult | undefined> {
    const { accountCode } = origin
    const versions = encodeVersions(ifVersions)
    try {
      const membership = await change(origin, () => changes.move(origin, id, pair, versions))
      return membership ? { kind: 'moved', membership } : await findWhyNot(accountCode, id, ifVersions)
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      const before = await findStep<Membership>(origin)
      if (before !== undefined) return { kind: 'moved', membership: before }
      const { userId = null, teamId = null } = pair
      const [existing] = await read(statements.findPairAfterMove, { accountCode, id, userId, teamId })
      return existing && { kind: 'duplicate', existingId: existing.id }
    }
  }

  async function tryToRemove(
    origin: Origin,
    id: number,
    ifVersions: readonly number[] | null,
  ): Promise<RemoveResult | undefined> {
    const versions = encodeVersions(ifVersions)
    const membership = await change(origin, () => changes.remove(origin, id, versions))
    return membership ? { kind: 'removed', membership } : findWhyNot(origin.accountCode, id, ifVersions)
  }

  /** The row of a change that was made now, or as the same step before. */
  async function change(origin: Origin, make: () => Promise<Membership | undefined>) {
    const made = await inTurn(origin.accountCode, () => transactions.retry(make))
    if (made !== undefined) signal.announce(origin.accountCode)
    return made ?? findStep<Membership>(origin)
  }

  // A row which is there all the same, in a version that would do, was replaced by a bulk that the change had waited for.
  async function findWhyNot(accountCode: string, id: number, ifVersions: readonly number[] | null) {
    const [row] = await read(statements.findVersion, { accountCode, id })
    if (row === undefined) return { kind: 'missing' } as const
    const { version } = row
    const isAllowed = ifVersions === null || ifVersions.includes(version)
    return isAllowed ? undefined : ({ kind: 'stale', version } as const)
  }
}

interface Move {
  readonly origin: Origin
  readonly id: number
  readonly change: Partial<MembershipPair>
  readonly ifVersions: readonly number[] | null
}

// Why a change was not made is asked for after it; if nothing stands against it by then, it is tried again.
async function untilDecided<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < maxAttempts; count += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw nothingChanged('Other changes were in the way')
}

function encodeVersions(versions: readonly number[] | null): string | null {
  return versions && encodeIds(versions)
}
