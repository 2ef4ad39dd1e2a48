import { and, asc, desc, eq, gt, sql } from 'drizzle-orm'
import type { EventStore, MembershipEvent, MembershipPair, Origin } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { first, type Work } from '../work.ts'
import type { TakeNumbers } from './counters.ts'

/** A change as it was made; its origin and time are written beside it. */
export type NewEvent = Pick<MembershipEvent, 'kind' | 'membershipId' | 'before' | 'after'>

/** For the transaction of the change itself. */
export type AppendEvent = (origin: Origin, event: NewEvent) => Work<void>

function createSelection({ membershipEvents: events }: Dialect['tables']) {
  return {
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
}

export function createEventStore(database: Database, onChange: EventStore['onChange']): EventStore {
  const { build, prepare, read, tables } = database
  const { membershipEvents: events } = tables
  const selection = createSelection(tables)
  const isOfAccount = eq(events.accountCode, sql.placeholder('accountCode'))
  const isLater = gt(events.sequence, sql.placeholder('sequence'))
  const select = () => build.select(selection).from(events)
  const listAfter = prepare(
    select().where(and(isOfAccount, isLater)).orderBy(asc(events.sequence)).limit(sql.placeholder('limit')),
    selection,
  )
  const newest = prepare(select().where(isOfAccount).orderBy(desc(events.sequence)).limit(1), selection)
  return {
    async listAfter(accountCode, sequence, limit) {
      const rows = await read(listAfter, { accountCode, sequence, limit })
      return rows.map(({ beforeUserId, beforeTeamId, afterUserId, afterTeamId, ...event }) => ({
        ...event,
        before: readPair(beforeUserId, beforeTeamId),
        after: readPair(afterUserId, afterTeamId),
      }))
    },
    async newest(accountCode) {
      const [event] = await read(newest, { accountCode })
      return event?.sequence ?? 0
    },
    onChange,
  }
}

export function createAppendEvent(dialect: Dialect, takeNumbers: TakeNumbers): AppendEvent {
  const { build, prepare, tables } = dialect
  const names = [
    'accountCode',
    'sequence',
    'kind',
    'membershipId',
    'beforeUserId',
    'beforeTeamId',
    'afterUserId',
    'afterTeamId',
    'byUserId',
    'byEmail',
    'transactionId',
  ]
  const values = Object.fromEntries(names.map(name => [name, sql.placeholder(name)]))
  const insert = prepare(build.insert(tables.membershipEvents).values(values))
  return function* appendEvent({ accountCode, userId, email, transactionId }, event) {
    const { kind, membershipId, before, after } = event
    yield* first(insert, {
      accountCode,
      sequence: yield* takeNumbers(accountCode, 'membership event'),
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

function readPair(userId: number | null, teamId: number | null): MembershipPair | null {
  return userId === null || teamId === null ? null : { userId, teamId }
}
