import type {
  AddResult,
  Membership,
  MembershipPair,
  MembershipStore,
  MoveResult,
  Origin,
  RemoveResult,
} from '../../domain/store.ts'
import type { ChangeMark } from './change-mark.ts'
import type { SqliteDb } from './connect.ts'
import type { Counters } from './counters.ts'
import type { EventSignal } from './event-signal.ts'
import type { WriteEvent } from './event-store.ts'
import { encodeIds } from './id-list.ts'
import { createKeptRows } from './kept-rows.ts'
import { createChangeMany } from './membership-bulk.ts'
import { createMembershipPages } from './membership-pages.ts'
import { prepareMembershipStatements } from './membership-statements.ts'
import { createOnce } from './once.ts'
import type { Provision } from './provision.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: SqliteDb
  readonly transactions: Transactions
  readonly provision: Provision
  readonly counters: Counters
  readonly changeMark: ChangeMark
  readonly writeEvent: WriteEvent
  readonly signal: EventSignal
}

// Some 5 MB.
const mostKept = 50_000

export function createMembershipStore(dependencies: Dependencies): MembershipStore {
  const { db, transactions, provision, counters, changeMark, writeEvent, signal } = dependencies
  const keptRows = createKeptRows<Membership>(changeMark, mostKept)
  const once = createOnce(db, signal)
  const statements = prepareMembershipStatements(db, keptRows)
  return {
    findKept: (accountCode, id) => keptRows.of(accountCode).get(id),

    async findByIds(accountCode, ids) {
      return statements.findByIds(accountCode, ids)
    },

    // The transaction has the write lock, so nobody can add the pair between the look-up and the insert.
    add(origin, pair) {
      const { accountCode } = origin
      return write<AddResult>(origin, () => {
        const existingId = statements.findPair.get({ accountCode, ...pair })
        if (existingId !== undefined) return { kind: 'duplicate', existingId }
        provision.account(accountCode)
        provision.user(accountCode, pair.userId)
        provision.team(accountCode, pair.teamId)
        const id = counters.next(accountCode, 'membership')
        const membership = statements.insert.only({ accountCode, id, ...pair })
        writeEvent(origin, { kind: 'added', membershipId: id, before: null, after: membership })
        return { kind: 'added', membership }
      })
    },

    // Nothing changes between the look-ups and the update either.
    move(origin, id, change, ifVersions) {
      const { accountCode } = origin
      return write<MoveResult>(origin, () => {
        const current = statements.find.get({ accountCode, id })
        if (current === undefined) return { kind: 'missing' }
        const { version } = current
        if (ifVersions !== null && !ifVersions.includes(version)) return { kind: 'stale', version }
        return moveRow({ origin, current, change, versions: encodeVersions(ifVersions) })
      })
    },

    remove(origin, id, ifVersions) {
      const { accountCode } = origin
      return write<RemoveResult>(origin, () => {
        keptRows.forget(accountCode, id)
        const membership = statements.remove.get({ accountCode, id, versions: encodeVersions(ifVersions) })
        if (membership === undefined) return findWhyNot(accountCode, id)
        writeEvent(origin, { kind: 'removed', membershipId: id, before: membership, after: null })
        return { kind: 'removed', membership }
      })
    },

    changeMany: createChangeMany({ db, transactions, counters, keptRows, once }),

    ...createMembershipPages(db),
  }

  function write<T extends Result>(origin: Origin, work: () => T): Promise<T> {
    return transactions.write(() => once(origin, work, hasChanged), hasChanged)
  }

  // The records of a new user or team come before the row that points at them.
  function moveRow({ origin, current, change: { userId, teamId }, versions }: Move): MoveResult {
    const { accountCode } = origin
    const { id } = current
    const pair = { userId: userId ?? current.userId, teamId: teamId ?? current.teamId }
    const existingId = statements.findPair.get({ accountCode, ...pair })
    if (existingId !== undefined && existingId !== id) return { kind: 'duplicate', existingId }
    keptRows.forget(accountCode, id)
    if (userId !== undefined) provision.user(accountCode, userId)
    if (teamId !== undefined) provision.team(accountCode, teamId)
    const membership = statements.move.only({ accountCode, id, ...pair, versions })
    if (membership.version !== current.version)
      writeEvent(origin, { kind: 'moved', membershipId: id, before: current, after: membership })
    return { kind: 'moved', membership }
  }

  // Asked in the same transaction, so the row is as the statement found it.
  function findWhyNot(accountCode: string, id: number) {
    const row = statements.find.get({ accountCode, id })
    return row === undefined
      ? ({ kind: 'missing' } as const)
      : ({ kind: 'stale', version: row.version } as const)
  }
}

type Result = AddResult | MoveResult | RemoveResult

function hasChanged({ kind }: Result): boolean {
  return kind === 'added' || kind === 'moved' || kind === 'removed'
}

interface Move {
  readonly origin: Origin
  readonly current: Membership
  readonly change: Partial<MembershipPair>
  readonly versions: string | null
}

function encodeVersions(versions: readonly number[] | null): string | null {
  return versions && encodeIds(versions)
}
