import { and, asc, desc, eq, gt, sql } from 'drizzle-orm'
import type { EventStore, MembershipEvent, MembershipEventKind, Origin } from '../../domain/store.ts'
import { type NewEvent, readPair } from '../event-row.ts'
import type { SqliteDb } from './connect.ts'
import type { Counters } from './counters.ts'
import type { EventSignal } from './event-signal.ts'
import { prepareChange, prepareRows } from './prepare-statement.ts'
import { membershipEvents as events } from './tables.ts'

/** To be called in the transaction of the change itself. */
export type WriteEvent = (origin: Origin, event: NewEvent) => void

type RawEvent = [
  sequence: number,
  kind: MembershipEventKind,
  membershipId: number,
  beforeUserId: number | null,
  beforeTeamId: number | null,
  afterUserId: number | null,
  afterTeamId: number | null,
  userId: number | null,
  email: string | null,
  transactionId: string,
  at: number,
]

const columns = {
  sequence: events.sequence,
  kind: events.kind,
  membershipId: events.membershipId,
  beforeUserId: events.beforeUserId,
  beforeTeamId: events.beforeTeamId,
  afterUserId: events.afterUserId,
  afterTeamId: events.afterTeamId,
  userId: events.byUserId,
  email: events.byEmail,
  transactionId: events.transactionId,
  at: events.createdAt,
}

export function createEventStore(db: SqliteDb, { onChange }: EventSignal): EventStore {
  const accountCode = sql.placeholder('accountCode')
  const isOfAccount = eq(events.accountCode, accountCode)
  const listAfter = prepareRows(db, {
    query: db
      .select(columns)
      .from(events)
      .where(and(isOfAccount, gt(events.sequence, sql.placeholder('sequence'))))
      .orderBy(asc(events.sequence))
      .limit(sql.placeholder('limit')),
    read: readEvent,
  })
  const newest = prepareRows(db, {
    query: db
      .select({ sequence: events.sequence })
      .from(events)
      .where(isOfAccount)
      .orderBy(desc(events.sequence))
      .limit(1),
    read: ([sequence]: [number]) => sequence,
  })
  return {
    async listAfter(code, sequence, limit) {
      return listAfter.all({ accountCode: code, sequence, limit })
    },
    async newest(code) {
      return newest.get({ accountCode: code }) ?? 0
    },
    onChange,
  }
}

export function createWriteEvent(db: SqliteDb, counters: Counters): WriteEvent {
  const insert = prepareChange(
    db,
    db.insert(events).values({
      accountCode: sql.placeholder('accountCode'),
      sequence: sql.placeholder('sequence'),
      kind: sql.placeholder('kind'),
      membershipId: sql.placeholder('membershipId'),
      beforeUserId: sql.placeholder('beforeUserId'),
      beforeTeamId: sql.placeholder('beforeTeamId'),
      afterUserId: sql.placeholder('afterUserId'),
      afterTeamId: sql.placeholder('afterTeamId'),
      byUserId: sql.placeholder('byUserId'),
      byEmail: sql.placeholder('byEmail'),
      transactionId: sql.placeholder('transactionId'),
    }),
  )
  return ({ accountCode, userId, email, transactionId }, { kind, membershipId, before, after }) => {
    insert({
      accountCode,
      sequence: counters.next(accountCode, 'membership event'),
      kind,
      membershipId,
      beforeUserId: before?.userId ?? null,
      beforeTeamId: before?.teamId ?? null,
      afterUserId: after?.userId ?? null,
      afterTeamId: after?.teamId ?? null,
      byUserId: userId,
      byEmail: email,
      transactionId,
    })
  }
}

function readEvent(raw: RawEvent): MembershipEvent {
  const [sequence, kind, membershipId, beforeUser, beforeTeam, afterUser, afterTeam, ...rest] = raw
  const [userId, email, transactionId, at] = rest
  return {
    sequence,
    kind,
    membershipId,
    before: readPair(beforeUser, beforeTeam),
    after: readPair(afterUser, afterTeam),
    userId,
    email,
    transactionId,
    at: new Date(at),
  }
}
