import { sql } from 'drizzle-orm'
import type { EventStore, MembershipEvent, MembershipPair, Origin } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import { columnsOf, type Dialect, insertValues, placeholders } from '../dialect.ts'
import { toColumnName } from '../tables/describe-table.ts'
import { all, type Work } from '../work.ts'
import type { TakeNumbers } from './counters.ts'

/** A change as it was made; its origin and time are written beside it. */
export type NewEvent = Pick<MembershipEvent, 'kind' | 'membershipId' | 'before' | 'after'>

/** For the transaction of the change itself. */
export type AppendEvent = (origin: Origin, event: NewEvent) => Work<unknown>

const columns = [
  ...['accountCode', 'sequence', 'kind', 'membershipId', 'beforeUserId', 'beforeTeamId', 'afterUserId'],
  ...['afterTeamId', 'byUserId', 'byEmail', 'transactionId'],
] as const

/** For statements that write events of several rows. */
export const insertEvents = sql.raw(`insert into membership_events (${columns.map(toColumnName)})`)

export function createEventStore(database: Database, onChange: EventStore['onChange']): EventStore {
  const { prepare, read, tables } = database
  const { sequence, kind, membershipId, byUserId, byEmail, transactionId, createdAt, ...rest } =
    tables.membershipEvents
  const { beforeUserId, beforeTeamId, afterUserId, afterTeamId } = rest
  const pairs = { beforeUserId, beforeTeamId, afterUserId, afterTeamId }
  const by = { userId: byUserId, email: byEmail, transactionId }
  const selection = { sequence, kind, membershipId, ...pairs, ...by, at: createdAt }
  const given = placeholders('accountCode', 'sequence', 'limit')
  const select = sql`
    select ${columnsOf(selection)} from ${tables.membershipEvents} where account_code = ${given.accountCode}`
  const listAfter = prepare(
    sql`${select} and sequence > ${given.sequence} order by sequence limit ${given.limit}`,
    selection,
  )
  const newest = prepare(sql`${select} order by sequence desc limit 1`, selection)
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

export function createAppendEvent({ prepare }: Dialect, takeNumbers: TakeNumbers): AppendEvent {
  const insert = prepare(sql`insert into membership_events ${insertValues(...columns)}`)
  return function* appendEvent({ accountCode, userId, email, transactionId }, event) {
    const sequence = yield* takeNumbers(accountCode, 'membership event')
    const by = { byUserId: userId, byEmail: email, transactionId }
    yield* all(insert, { accountCode, sequence, ...writePairs(event), ...by })
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
