import { sql } from 'drizzle-orm'
import type { MembershipPair } from '../../../domain/memberships/membership-store.ts'
import type { Origin } from '../../../domain/port.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { first } from '../../work.ts'
import { selectMembership } from './membership-reads.ts'

/** A change of the row with this id. */
export interface RowChange {
  readonly origin: Origin
  readonly id: number
  readonly ifVersions: readonly number[] | null
}

export interface Move extends RowChange {
  readonly change: Partial<MembershipPair>
}

/** Look-ups that say why a change cannot be made, or `found` with what it needs. They lock nothing. */
export function createMembershipLookUps({ prepare, tables }: Dialect) {
  const { accountCode, id, userId, teamId } = placeholders('accountCode', 'id', 'userId', 'teamId')
  const selection = selectMembership(tables)
  const select = sql`select ${columnsOf(selection)} from team_memberships where account_code = ${accountCode}`
  const byId = prepare(sql`${select} and id = ${id}`, selection)
  // The index contains the id, so the row is not read.
  const byPair = prepare(
    sql`
      select id from team_memberships
      where account_code = ${accountCode} and user_id = ${userId} and team_id = ${teamId}`,
    { id: selection.id },
  )

  /** Finds out whether a row other than `id` has the pair. */
  function* findAddable({ accountCode }: Origin, pair: MembershipPair, id?: number) {
    const existing = yield* first(byPair, { accountCode, ...pair })
    if (existing === undefined || existing.id === id) return { kind: 'found' } as const
    return { kind: 'duplicate', existingId: existing.id } as const
  }

  /** Finds the row, if it has one of the versions. */
  function* findRow({ origin: { accountCode }, id, ifVersions }: RowChange) {
    const row = yield* first(byId, { accountCode, id })
    if (row === undefined) return { kind: 'missing' } as const
    const isAllowed = ifVersions === null || ifVersions.includes(row.version)
    return isAllowed ? ({ kind: 'found', row } as const) : ({ kind: 'stale', version: row.version } as const)
  }

  /** Finds the row and its new pair. */
  function* findMovable(move: Move) {
    const found = yield* findRow(move)
    if (found.kind !== 'found') return found
    const { row } = found
    const pair = { userId: move.change.userId ?? row.userId, teamId: move.change.teamId ?? row.teamId }
    const addable = yield* findAddable(move.origin, pair, row.id)
    return addable.kind === 'found' ? { ...found, pair } : addable
  }

  return { findAddable, findRow, findMovable }
}
