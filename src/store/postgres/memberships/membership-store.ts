import type {
  AddResult,
  Membership,
  MembershipStore,
  MoveResult,
  Origin,
  RemoveResult,
} from '../../../domain/store.ts'
import type { Database } from '../../database.ts'
import type { Parts } from '../../entities/entities.ts'
import { createChangeMany } from '../../entities/memberships/membership-bulk.ts'
import {
  createMembershipLookUps,
  type Move,
  type RowChange,
} from '../../entities/memberships/membership-look-ups.ts'
import { createMembershipReads } from '../../entities/memberships/membership-reads.ts'
import { createSteps } from '../../steps.ts'
import type { Work } from '../../work.ts'
import { createAccountTurns, type InTurn } from '../connection/account-turns.ts'
import type { Bound } from '../connection/bound.ts'
import type { EventSignal } from '../connection/event-signal.ts'
import { nothingChanged } from '../connection/explain-failure.ts'
import type { Transactions } from '../connection/transactions.ts'
import { runEach } from '../runner.ts'
import { type Addition, createAddMembership } from './add-membership.ts'
import { createMembershipChanges } from './membership-changes.ts'

// How often what was in the way may be gone by the time we ask for it.
const maxAttempts = 10
// A bulk holds the account's counters over round trips. If a gateway hangs, each of its bulks would hold them until
// PostgreSQL ends it, one after the other.
const maxBulksAtOnce = 1

interface Dependencies {
  readonly database: Database
  readonly parts: Parts
  readonly transactions: Transactions
  readonly inTurn: InTurn
  readonly bound: Bound
  readonly signal: EventSignal
}

/**
 * Single changes as one chain each: one round trip and one commit, where a transaction of short statements takes
 * eight. What was in the way of a change is looked up after it; if nothing is by then, the change is tried again.
 */
export function createMembershipStore(dependencies: Dependencies): MembershipStore {
  const { database, parts, transactions, inTurn, bound, signal } = dependencies
  const { forget, ...reads } = createMembershipReads(database)
  const { findPair, findRow, findMove } = createMembershipLookUps(database)
  const { find: findStep } = createSteps(database)
  const changes = createMembershipChanges(database)
  const addTogether = createAddMembership({ database, transactions, inTurn })
  const changeMany = createChangeMany({ database, ...parts, forget })
  const inTurnOfBulks = createAccountTurns({
    account: maxBulksAtOnce,
    tooLate: 'Other changes of this account took too long',
  })
  return {
    ...reads,
    add: (origin, pair) => add({ origin, pair }),
    move: (origin, id, change, ifVersions) => decide(origin, () => move({ origin, id, change, ifVersions })),
    remove: (origin, id, ifVersions) => decide(origin, () => remove({ origin, id, ifVersions })),
    changeMany: (origin, changes, mode) =>
      bound(origin.accountCode, () =>
        inTurnOfBulks(origin.accountCode, () => changeMany(origin, changes, mode)),
      ),
  }

  function add(addition: Addition): Promise<AddResult> {
    const { origin, pair } = addition
    return bound(origin.accountCode, () =>
      untilDecided(origin, async () => {
        const membership = await transactions.retry(() => addTogether(addition))
        return membership
          ? { kind: 'added', membership }
          : await runEach(transactions, explainAdd(origin, pair))
      }),
    )
  }

  function* explainAdd(origin: Origin, pair: Addition['pair']): Work<AddResult | undefined> {
    const membership = yield* findStep<Membership>(origin)
    if (membership !== undefined) return { kind: 'added', membership }
    const existingId = yield* findPair(origin.accountCode, pair)
    return existingId === undefined ? undefined : { kind: 'duplicate', existingId }
  }

  function* move(move: Move): Work<MoveResult | undefined> {
    const membership = (yield* changes.move(move)) ?? (yield* findStep<Membership>(move.origin))
    if (membership !== undefined) return { kind: 'moved', membership }
    const found = yield* findMove(move)
    return found.kind === 'found' ? undefined : found
  }

  function* remove(change: RowChange): Work<RemoveResult | undefined> {
    const membership = (yield* changes.remove(change)) ?? (yield* findStep<Membership>(change.origin))
    if (membership !== undefined) return { kind: 'removed', membership }
    const found = yield* findRow(change)
    return found.kind === 'found' ? undefined : found
  }

  function decide<T extends MoveResult | RemoveResult>(origin: Origin, work: () => Work<T | undefined>) {
    const { accountCode } = origin
    return bound(accountCode, () =>
      untilDecided(origin, () => inTurn(accountCode, () => runEach(transactions, work()))),
    )
  }

  async function untilDecided<T extends AddResult | MoveResult | RemoveResult>(
    { accountCode }: Origin,
    attempt: () => Promise<T | undefined>,
  ): Promise<T> {
    for (let count = 0; count < maxAttempts; count += 1) {
      const result = await attempt()
      if (result === undefined) continue
      if ('membership' in result) signal.announce(accountCode)
      return result
    }
    throw nothingChanged('Other changes were in the way')
  }
}
