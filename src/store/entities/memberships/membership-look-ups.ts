import { sql } from 'drizzle-orm'
import type { Membership, MembershipPair, MoveResult, Origin, RemoveResult } from '../../../domain/store.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { first, type Work } from '../../work.ts'
import { selectMembership } from './membership-reads.ts'

export type Versions = readonly number[] | null

/** A change of the row with this id. */
export interface RowChange {
  readonly origin: Origin
  readonly id: number
  readonly ifVersions: Versions
}

export interface Move extends RowChange {
  readonly change: Partial<MembershipPair>
}

/** Look-ups that say whether a change can be made. They lock nothing. */
export interface MembershipLookUps {
  /** The id of the membership that has this pair. */
  findPair(accountCode: string, pair: MembershipPair): Work<number | undefined>
  /** The row, where it has one of the versions. */
  findRow(
    change: RowChange,
  ): Work<Exclude<RemoveResult, { kind: 'removed' }> | { kind: 'found'; row: Membership }>
  /** The row and its new pair, or why it cannot move. */
  findMove(move: Move): Work<Exclude<MoveResult, { kind: 'moved' }> | MovableRow>
}

interface MovableRow {
  readonly kind: 'found'
  readonly row: Membership
  readonly pair: MembershipPair
}

export function createMembershipLookUps({ prepare, tables }: Dialect): MembershipLookUps {
  const { accountCode, id, userId, teamId } = placeholders('accountCode', 'id', 'userId', 'teamId')
  const selection = selectMembership(tables)
  const select = sql`select ${columnsOf(selection)} from team_memberships where account_code = ${accountCode}`
  const byId = prepare(sql`${select} and id = ${id}`, selection)
  // The index has the id, so the row is not read.
  const byPair = prepare(
    sql`
      select id from team_memberships
      where account_code = ${accountCode} and user_id = ${userId} and team_id = ${teamId}`,
    { id: selection.id },
  )

  function* findPair(accountCode: string, pair: MembershipPair) {
    return (yield* first(byPair, { accountCode, ...pair }))?.id
  }

  function* findRow({ origin: { accountCode }, id, ifVersions }: RowChange) {
    const row = yield* first(byId, { accountCode, id })
    if (row === undefined) return { kind: 'missing' } as const
    const isAllowed = ifVersions === null || ifVersions.includes(row.version)
    return isAllowed ? ({ kind: 'found', row } as const) : ({ kind: 'stale', version: row.version } as const)
  }

  return {
    findPair,
    findRow,
    *findMove(move) {
      const found = yield* findRow(move)
      if (found.kind !== 'found') return found
      const { row } = found
      const { userId = row.userId, teamId = row.teamId } = move.change
      const existingId = yield* findPair(move.origin.accountCode, { userId, teamId })
      if (existingId !== undefined && existingId !== row.id) return { kind: 'duplicate', existingId }
      return { kind: 'found', row, pair: { userId, teamId } }
    },
  }
}
