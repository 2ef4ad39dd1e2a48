import { sql } from 'drizzle-orm'
import type { EventStore, Origin } from '../../domain/port.ts'
import type { Database } from '../database.ts'
import { boundsOf, columnsOf, placeholders, type Tables } from '../dialect.ts'
import type { RowOf, Selection, StoreColumn } from '../tables/tables-of.ts'

/** Events are numbered within their account, in the order of the commits. */
export function describeLogs({ membershipEvents, caseEvents }: Tables) {
  return {
    memberships: {
      table: membershipEvents,
      sequence: membershipEvents.sequence,
      counter: 'membership event',
      /** Bytes of an event besides those of its row. */
      bytes: sql`0`,
    },
    cases: {
      table: caseEvents,
      sequence: caseEvents.id,
      counter: 'case event',
      bytes: sql`${sql.identifier(caseEvents.changedBytes.name)}`,
    },
  } as const
}

export type EventLog = ReturnType<typeof describeLogs>[keyof ReturnType<typeof describeLogs>]

interface OriginColumns {
  readonly byUserId: StoreColumn<number | null>
  readonly byEmail: StoreColumn<string | null>
  readonly transactionId: StoreColumn<string>
  readonly createdAt: StoreColumn<Date>
}

/** Who made the change, in which transaction, and when. */
export function selectOrigin({ byUserId, byEmail, transactionId, createdAt }: OriginColumns) {
  return { userId: byUserId, email: byEmail, transactionId, at: createdAt }
}

/** The values of `selectOrigin`; the database sets the time. */
export function writeOrigin({ userId, email, transactionId }: Origin) {
  return { byUserId: userId, byEmail: email, transactionId }
}

interface EventRows<S extends Selection, Event> {
  readonly selection: S
  readonly toEvent: (row: RowOf<S>) => Event
}

/** Reads a log from any of its events on. */
export function createEventLog<S extends Selection, Event>(
  { prepare, prepareMany, read }: Database,
  { table, sequence }: EventLog,
  { selection, toEvent }: EventRows<S, Event>,
): Pick<EventStore<Event>, 'listAfter' | 'page' | 'newest'> {
  const given = placeholders('accountCode', 'sequence', 'after', 'before', 'limit')
  const inAccount = sql`from ${table} where account_code = ${given.accountCode}`
  const listAfter = prepareMany(
    sql`
      select ${columnsOf(selection)} ${inAccount} and ${sequence} > ${given.sequence}
      order by ${sequence} limit ${given.limit}`,
    selection,
  )
  const prepareDirection = (direction: 'asc' | 'desc') =>
    prepareMany(
      sql`
        select ${columnsOf(selection)} ${inAccount} and ${sequence} > ${given.after} and ${sequence} < ${given.before}
        order by ${sequence} ${sql.raw(direction)} limit ${given.limit}`,
      selection,
    )
  const first = prepareDirection('asc')
  const last = prepareDirection('desc')
  const newest = prepare(sql`select ${sequence} ${inAccount} order by ${sequence} desc limit 1`, { sequence })
  return {
    async listAfter(accountCode, sequence, limit) {
      return (await read(listAfter, { accountCode, sequence, limit })).map(toEvent)
    },
    async page(accountCode, page) {
      const found = await read(page.fromEnd ? last : first, { accountCode, ...boundsOf(page) })
      const events = found.map(toEvent)
      return page.fromEnd ? events.reverse() : events
    },
    async newest(accountCode) {
      const [event] = await read(newest, { accountCode })
      return event?.sequence ?? 0
    },
  }
}
