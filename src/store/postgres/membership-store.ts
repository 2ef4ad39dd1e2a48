import type { PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import type { AddResult, MembershipPair, MembershipStore, MoveResult } from '../../domain/store.ts'
import { encodeIds } from './id-list.ts'
import { createMembershipPages } from './membership-pages.ts'
import { prepareMembershipStatements } from './membership-statements.ts'
import type { Provision } from './provision.ts'
import { isUniqueViolation } from './sql-state.ts'
import type { Transactions } from './transactions.ts'

// How often the membership in the way may be gone by the time we ask for its id.
const mostAttempts = 10

interface Dependencies {
  readonly db: PostgresJsDatabase
  readonly transactions: Transactions
  readonly provision: Provision
}

export function createMembershipStore({ db, transactions, provision }: Dependencies): MembershipStore {
  const statements = prepareMembershipStatements(db)
  return {
    findByIds: (accountCode, ids) => statements.findByIds.execute({ accountCode, ids: encodeIds(ids) }),

    add: (accountCode, pair) => untilDecided(() => tryToAdd(accountCode, pair)),

    move: (accountCode, id, change, ifVersions) =>
      untilDecided(() => tryToMove({ accountCode, id, change, versions: encodeVersions(ifVersions) })),

    remove(accountCode, id, ifVersions) {
      return transactions.write(async () => {
        const row = { accountCode, id, versions: encodeVersions(ifVersions) }
        const [membership] = await statements.remove.execute(row)
        return membership ? { kind: 'removed', membership } : findWhyNot(accountCode, id)
      })
    },

    ...createMembershipPages(db),
  }

  async function tryToAdd(accountCode: string, pair: MembershipPair): Promise<AddResult | undefined> {
    const row = { accountCode, ...pair }
    const membership = await transactions.write(async () => {
      const [, , , [added]] = await Promise.all([
        provision.account(accountCode),
        provision.user(accountCode, pair.userId),
        provision.team(accountCode, pair.teamId),
        statements.insert.execute(row),
      ])
      return added
    })
    if (membership !== undefined) return { kind: 'added', membership }
    const [existing] = await statements.findPair.execute(row)
    return existing && { kind: 'duplicate', existingId: existing.id }
  }

  // The records of a new user or team come first, since the row points at them; they go when nothing was moved.
  async function tryToMove({ accountCode, id, change, versions }: Move): Promise<MoveResult | undefined> {
    const { userId, teamId } = change
    const row = { accountCode, id, userId: userId ?? null, teamId: teamId ?? null, versions }
    try {
      return await transactions.write<MoveResult>(
        async () => {
          const [, , , [membership]] = await Promise.all([
            provision.account(accountCode),
            userId === undefined ? undefined : provision.user(accountCode, userId),
            teamId === undefined ? undefined : provision.team(accountCode, teamId),
            statements.move.execute(row),
          ])
          return membership ? { kind: 'moved', membership } : findWhyNot(accountCode, id)
        },
        result => result.kind === 'moved',
      )
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      const [existing] = await statements.findPairAfterMove.execute(row)
      return existing && { kind: 'duplicate', existingId: existing.id }
    }
  }

  async function findWhyNot(accountCode: string, id: number) {
    const [row] = await statements.findVersion.execute({ accountCode, id })
    return row === undefined
      ? ({ kind: 'missing' } as const)
      : ({ kind: 'stale', version: row.version } as const)
  }
}

interface Move {
  readonly accountCode: string
  readonly id: number
  readonly change: Partial<MembershipPair>
  readonly versions: string | null
}

// A conflict aborts the transaction, so the id of the membership in the way is asked for after it; if that membership
// has gone by then, nothing is in the way any more and the change is tried again.
async function untilDecided<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < mostAttempts; count += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw new Error(`A membership was in the way and gone again, ${mostAttempts} times in a row.`)
}

function encodeVersions(versions: readonly number[] | null): string | null {
  return versions && encodeIds(versions)
}
