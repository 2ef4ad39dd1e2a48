import { and, asc, desc, eq, gt, sql } from 'drizzle-orm'
import type { PgRemoteDatabase } from 'drizzle-orm/pg-proxy'
import type { EventStore } from '../../domain/store.ts'
import { readPair } from '../event-row.ts'
import type { EventSignal } from './event-signal.ts'
import { membershipEvents as events } from './tables.ts'

export function createEventStore(db: PgRemoteDatabase, { onChange }: EventSignal): EventStore {
  const isOfAccount = eq(events.accountCode, sql.placeholder('accountCode'))
  const listAfter = db
    .select()
    .from(events)
    .where(and(isOfAccount, gt(events.sequence, sql.placeholder('sequence'))))
    .orderBy(asc(events.sequence))
    .limit(sql.placeholder('limit'))
    .prepare('list_events')
  const newest = db
    .select({ sequence: events.sequence })
    .from(events)
    .where(isOfAccount)
    .orderBy(desc(events.sequence))
    .limit(1)
    .prepare('newest_event')
  return {
    async listAfter(accountCode, sequence, limit) {
      const rows = await listAfter.execute({ accountCode, sequence, limit })
      return rows.map(row => ({
        sequence: row.sequence,
        kind: row.kind,
        membershipId: row.membershipId,
        before: readPair(row.beforeUserId, row.beforeTeamId),
        after: readPair(row.afterUserId, row.afterTeamId),
        userId: row.byUserId,
        email: row.byEmail,
        transactionId: row.transactionId,
        at: row.createdAt,
      }))
    },
    async newest(accountCode) {
      const [row] = await newest.execute({ accountCode })
      return row?.sequence ?? 0
    },
    onChange,
  }
}
