import { sql } from 'drizzle-orm'
import type { MembershipEvent, MembershipPair } from '../../domain/memberships/membership-store.ts'
import type { EventStore, Origin } from '../../domain/port.ts'
import { insertInto } from '../columns.ts'
import type { Database } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import { toColumnName } from '../tables/describe-table.ts'
import { all, type Work } from '../work.ts'
import type { TakeNumbers } from './counters.ts'
import { createEventLog, describeLogs, selectOrigin, writeOrigin } from './event-log.ts'

/** A change as it was made; its origin and time are written beside it. */
type NewEvent = Pick<MembershipEvent, 'kind' | 'membershipId' | 'before' | 'after'>

/** Appends an event, inside the transaction of the change. */
export type AppendEvent = (origin: Origin, event: NewEvent) => Work<unknown>

const columns = [
  ...['accountCode', 'sequence', 'kind', 'membershipId', 'beforeUserId', 'beforeTeamId', 'afterUserId'],
  ...['afterTeamId', 'byUserId', 'byEmail', 'transactionId'],
] as const

/** The beginning of statements that write events of several rows. */
export const insertEvents = sql.raw(`insert into membership_events (${columns.map(toColumnName)})`)

export function createEventStore(
  database: Database,
  onChange: EventStore<MembershipEvent>['onChange'],
): EventStore<MembershipEvent> {
  const { sequence, kind, membershipId, ...columns } = database.tables.membershipEvents
  const { beforeUserId, beforeTeamId, afterUserId, afterTeamId } = columns
  const pairs = { beforeUserId, beforeTeamId, afterUserId, afterTeamId }
  const log = createEventLog(database, describeLogs(database.tables).memberships, {
    selection: { sequence, kind, membershipId, ...pairs, ...selectOrigin(columns) },
    toEvent: ({ beforeUserId, beforeTeamId, afterUserId, afterTeamId, ...event }): MembershipEvent => ({
      ...event,
      before: readPair(beforeUserId, beforeTeamId),
      after: readPair(afterUserId, afterTeamId),
    }),
  })
  return { ...log, onChange }
}

export function createAppendEvent({ prepare, tables }: Dialect, takeNumbers: TakeNumbers): AppendEvent {
  const insert = prepare(insertInto(tables.membershipEvents, { omit: ['createdAt'] }))
  return function* appendEvent(origin, event) {
    const { accountCode } = origin
    const sequence = yield* takeNumbers(accountCode, 'membership event')
    yield* all(insert, { accountCode, sequence, ...writePairs(event), ...writeOrigin(origin) })
  }
}

/** The event as its row has it. */
export function writePairs({ kind, membershipId, before, after }: NewEvent) {
  return {
    kind,
    membershipId,
    beforeUserId: before?.userId ?? null,
    beforeTeamId: before?.teamId ?? null,
    afterUserId: after?.userId ?? null,
    afterTeamId: after?.teamId ?? null,
  }
}

function readPair(userId: number | null, teamId: number | null): MembershipPair | null {
  return userId === null || teamId === null ? null : { userId, teamId }
}
