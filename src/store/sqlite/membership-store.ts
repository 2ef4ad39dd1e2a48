import type { Membership, MembershipStore, MoveResult } from '../../domain/store.ts'
import type { ChangeMark } from './change-mark.ts'
import type { SqliteDb } from './connect.ts'
import type { Counters } from './counters.ts'
import { encodeIds } from './id-list.ts'
import { createKeptRows } from './kept-rows.ts'
import { createMembershipPages } from './membership-pages.ts'
import { prepareMembershipStatements } from './membership-statements.ts'
import type { Provision } from './provision.ts'
import type { Transactions } from './transactions.ts'

interface Dependencies {
  readonly db: SqliteDb
  readonly transactions: Transactions
  readonly provision: Provision
  readonly counters: Counters
  readonly changeMark: ChangeMark
}

// Some 5 MB.
const mostKept = 50_000

export function createMembershipStore(dependencies: Dependencies): MembershipStore {
  const { db, transactions, provision, counters, changeMark } = dependencies
  const keptRows = createKeptRows<Membership>(changeMark, mostKept)
  const statements = prepareMembershipStatements(db, keptRows)
  return {
    async findByIds(accountCode, ids) {
      return statements.findByIds(accountCode, ids)
    },

    // The transaction has the write lock, so nobody can add the pair between the look-up and the insert.
    add(accountCode, pair) {
      return transactions.write(() => {
        const existingId = statements.findPair.get({ accountCode, ...pair })
        if (existingId !== undefined) return { kind: 'duplicate', existingId }
        provision.account(accountCode)
        provision.user(accountCode, pair.userId)
        provision.team(accountCode, pair.teamId)
        const id = counters.next('membership')
        return { kind: 'added', membership: statements.insert.only({ accountCode, id, ...pair }) }
      })
    },

    // The records of a new user or team come first, since the row points at them; they go when nothing was moved.
    move(accountCode, id, { userId, teamId }, ifVersions) {
      const row = { accountCode, id, userId: userId ?? null, teamId: teamId ?? null }
      return transactions.write(
        () => {
          keptRows.forget(accountCode, id)
          provision.account(accountCode)
          if (userId !== undefined) provision.user(accountCode, userId)
          if (teamId !== undefined) provision.team(accountCode, teamId)
          return moveRow({ ...row, versions: encodeVersions(ifVersions) })
        },
        result => result.kind === 'moved',
      )
    },

    remove(accountCode, id, ifVersions) {
      return transactions.write(() => {
        keptRows.forget(accountCode, id)
        const membership = statements.remove.get({ accountCode, id, versions: encodeVersions(ifVersions) })
        return membership ? { kind: 'removed', membership } : findWhyNot(accountCode, id)
      })
    },

    ...createMembershipPages(db),
  }

  function moveRow(row: MovedRow): MoveResult {
    try {
      const membership = statements.move.get(row)
      return membership ? { kind: 'moved', membership } : findWhyNot(row.accountCode, row.id)
    } catch (error) {
      const existingId = isUniqueViolation(error) ? statements.findPairAfterMove.get(row) : undefined
      if (existingId === undefined) throw error
      return { kind: 'duplicate', existingId }
    }
  }

  // Asked in the same transaction, so the row is as the statement found it.
  function findWhyNot(accountCode: string, id: number) {
    const version = statements.findVersion.get({ accountCode, id })
    return version === undefined ? ({ kind: 'missing' } as const) : ({ kind: 'stale', version } as const)
  }
}

type MovedRow = {
  readonly accountCode: string
  readonly id: number
  readonly userId: number | null
  readonly teamId: number | null
  readonly versions: string | null
}

function encodeVersions(versions: readonly number[] | null): string | null {
  return versions && encodeIds(versions)
}

function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
}
