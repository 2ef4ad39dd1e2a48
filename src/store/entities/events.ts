import { sql } from 'drizzle-orm'
import type { EventStore, MembershipEvent, MembershipPair, Origin } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import { columnsOf, type Dialect, placeholders } from '../dialect.ts'
import { all, type Work } from '../work.ts'
import type { TakeNumbers } from './counters.ts'

/** A change as it was made; its origin and time are written beside it. */
export type NewEvent = Pick<MembershipEvent, 'kind' | 'membershipId' | 'before' | 'after'>

/** For the transaction of the change itself. */
export type AppendEvent = (origin: Origin, event: NewEvent) => Work<unknown>

/** In the order of the values in every statement that writes events. */
export const eventColumns = `account_code, sequence, kind, membership_id, before_user_id, before_team_id,
  after_user_id, after_team_id, by_user_id, by_email, transaction_id`

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

export function createAppendEvent(
  { build, prepare, tables }: Dialect,
  takeNumbers: TakeNumbers,
): AppendEvent {
  const pairs = placeholders('beforeUserId', 'beforeTeamId', 'afterUserId', 'afterTeamId')
  const by = placeholders('byUserId', 'byEmail', 'transactionId')
  const values = { ...placeholders('accountCode', 'sequence', 'kind', 'membershipId'), ...pairs, ...by }
  const insert = prepare(build.insert(tables.membershipEvents).values(values))
  return function* appendEvent({ accountCode, userId, email, transactionId }, event) {
    const { kind, membershipId, before, after } = event
    yield* all(insert, {
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
