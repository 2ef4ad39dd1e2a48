import { sql } from 'drizzle-orm'
import type { MembershipPair, MembershipStore } from '../../domain/memberships/membership-store.ts'
import type { Origin } from '../../domain/port.ts'
import { storedRowBytes } from '../../domain/store-limits.ts'
import { insertInto } from '../columns.ts'
import type { Database } from '../database.ts'
import { columnsOf, placeholders } from '../dialect.ts'
import { createChangeMany } from '../entities/memberships/membership-bulk.ts'
import {
  createMembershipLookUps,
  type Move,
  type RowChange,
} from '../entities/memberships/membership-look-ups.ts'
import {
  createMembershipReads,
  notAdded,
  selectMembership,
} from '../entities/memberships/membership-reads.ts'
import type { Parts } from '../entities/parts.ts'
import { only, type Refusal, type Work } from '../work.ts'

/**
 * Single changes as short statements that each do one thing. SQLite prepares and runs these faster than one chain. A
 * change has the write lock from its start, so nothing changes between its look-ups and its writes.
 */
export function createMembershipStore(database: Database, parts: Parts): MembershipStore {
  const { provision, takeNumbers, appendEvent, stored } = parts
  const { forget, ...reads } = createMembershipReads(database)
  const { findAddable, findMovable, findRow } = createMembershipLookUps(database)
  const statements = prepareStatements(database)
  return {
    ...reads,
    add: (origin, pair) => decide(origin, () => add(origin, pair)),
    move: (origin, id, change, ifVersions) => decide(origin, () => move({ origin, id, change, ifVersions })),
    remove: (origin, id, ifVersions) => decide(origin, () => remove({ origin, id, ifVersions })),
    changeMany: createChangeMany({ database, ...parts, forget }),
  }

  function decide<Result extends object>(origin: Origin, work: () => Work<Result | Refusal>) {
    return database.change(origin, work, { hasChanged: result => 'membership' in result })
  }

  function* add(origin: Origin, pair: MembershipPair) {
    const { accountCode } = origin
    const found = yield* findAddable(origin, pair)
    if (found.kind !== 'found') return found
    const full = yield* stored.refuse(accountCode, storedRowBytes)
    if (full !== null) return full
    yield* provision.account(accountCode)
    yield* provision.user(accountCode, pair.userId)
    yield* provision.team(accountCode, pair.teamId)
    const id = yield* takeNumbers(accountCode, 'membership')
    const membership = yield* only(statements.insert, { accountCode, id, ...pair })
    yield* appendEvent(origin, { kind: 'added', membershipId: id, before: null, after: membership })
    return { kind: 'added', membership } as const
  }

  function* move(wanted: Move) {
    const found = yield* findMovable(wanted)
    if (found.kind !== 'found') return found
    const { row, pair } = found
    const { origin, id, change } = wanted
    const { accountCode } = origin
    const isMove = pair.userId !== row.userId || pair.teamId !== row.teamId
    const full = yield* stored.refuse(accountCode, isMove ? storedRowBytes : 0)
    if (full !== null) return full
    forget(accountCode, id)
    // The records of a new user or team must exist before the row that refers to them.
    if (change.userId !== undefined) yield* provision.user(accountCode, pair.userId)
    if (change.teamId !== undefined) yield* provision.team(accountCode, pair.teamId)
    const membership = yield* only(statements.move, { accountCode, id, ...pair })
    if (isMove)
      yield* appendEvent(origin, { kind: 'moved', membershipId: id, before: row, after: membership })
    return { kind: 'moved', membership } as const
  }

  function* remove(change: RowChange) {
    const { origin, id } = change
    const { accountCode } = origin
    const found = yield* findRow(change)
    if (found.kind !== 'found') return found
    forget(accountCode, id)
    const membership = yield* only(statements.remove, { accountCode, id })
    yield* appendEvent(origin, { kind: 'removed', membershipId: id, before: membership, after: null })
    return { kind: 'removed', membership } as const
  }
}

function prepareStatements({ prepare, tables }: Database) {
  const selection = selectMembership(tables)
  const { accountCode, id, userId, teamId } = placeholders('accountCode', 'id', 'userId', 'teamId')
  const isTheRow = sql`account_code = ${accountCode} and id = ${id}`
  const returning = sql`returning ${columnsOf(selection)}`
  const insert = insertInto(tables.teamMemberships, { omit: notAdded })
  return {
    insert: prepare(sql`${insert} ${returning}`, selection),
    move: prepare(
      sql`
        update team_memberships set user_id = ${userId}, team_id = ${teamId},
          version = version + (user_id <> ${userId} or team_id <> ${teamId})
        where ${isTheRow} ${returning}`,
      selection,
    ),
    remove: prepare(sql`delete from team_memberships where ${isTheRow} ${returning}`, selection),
  }
}
