import { sql } from 'drizzle-orm'
import type { BulkResult, Membership, MembershipPair } from '../../../domain/memberships/membership-store.ts'
import type { BulkPlan, CompleteBulk } from '../../../domain/memberships/memberships-bulk-plan.ts'
import type { Origin } from '../../../domain/port.ts'
import { columnsOf, type Dialect, namesOf, placeholders } from '../../dialect.ts'
import { descriptions } from '../../tables/descriptions.ts'
import { all, type Work } from '../../work.ts'
import { raiseCounter } from '../counters.ts'
import { insertEvents, writePairs } from '../events.ts'
import { namesOfKept, selectAdded, selectMembership } from './membership-reads.ts'

interface BulkWrite {
  readonly origin: Origin
  readonly plan: BulkPlan
  /** Ids of the plan's `added` memberships, in their order. */
  readonly addedIds: readonly number[]
  readonly complete: CompleteBulk
  /** The result of the change. A repeated request with the same idempotency key gets it again. */
  readonly result: BulkResult
}

const { accountCode, ids } = placeholders('accountCode', 'ids')

/** Each set of rows is a list, so that a statement is the same for one row and for a thousand. */
export function prepareBulkStatements(dialect: Dialect) {
  const { prepare, list, tables, isListed, encodeList, forUpdate } = dialect
  const { teamMemberships: memberships } = tables
  const { id, userId, teamId } = memberships
  const pairs = list('pairs', { userId: 'integer', teamId: 'integer' })
  const selection = selectMembership(tables)
  const findRows = prepare(
    sql`
      select ${columnsOf(selection)} from team_memberships
      where account_code = ${accountCode} and ${isListed(id, ids)} order by id ${forUpdate}`,
    selection,
  )
  // `cross join` makes SQLite look each pair up in the index.
  const findPairs = prepare(
    sql`
      select row.id, row.user_id, row.team_id from ${pairs.rows} cross join team_memberships as row
      where row.account_code = ${accountCode} and row.user_id = pairs.user_id and row.team_id = pairs.team_id`,
    { id, userId, teamId },
  )
  return {
    /** Locks the rows. */
    findRows: (accountCode: string, ids: readonly number[]): Work<readonly Membership[]> =>
      all(findRows, { accountCode, ids: encodeList(ids) }),
    findPairs: (accountCode: string, wanted: readonly MembershipPair[]) =>
      all(findPairs, { accountCode, ...pairs.encode(wanted) }),
    write: prepareWrite(dialect, namesOfKept(descriptions.teamMemberships.columns)),
  }
}

// PostgreSQL locks in the order in which a single change locks: rows and pairs (ascending, with ids in the order
// given), the step, the counter of events, then teams and users. SQLite needs users and teams before the rows that
// refer to them.
function prepareWrite({ chain, list, typed, after, tables }: Dialect, kept: readonly string[]) {
  const given = selectAdded(tables)
  const pair = { userId: 'integer', teamId: 'integer' } as const
  const userIds = list('user_ids', { id: 'integer' })
  const teamIds = list('team_ids', { id: 'integer' })
  const ends = list('ends', { id: 'integer' })
  const moved = list('moved', { id: 'integer', ...pair, version: 'integer' })
  const pairs = list('pairs', { id: 'integer', ...given })
  const steps = list('steps', { key: 'text', number: 'integer', result: 'text' })
  const events = list('events', {
    kind: 'text',
    membershipId: 'integer',
    beforeUserId: 'integer',
    beforeTeamId: 'integer',
    afterUserId: 'integer',
    afterTeamId: 'integer',
  })
  const { userId, email, transactionId } = placeholders('userId', 'email', 'transactionId')
  const eventCount = typed(sql.placeholder('eventCount'), 'integer')
  const statement = chain(
    {
      the_users: sql`
        insert into users (account_code, id) select ${accountCode}, id from ${userIds.rows} where true
        on conflict do nothing`,
      the_teams: sql`
        insert into teams (account_code, id) select ${accountCode}, id from ${teamIds.rows} where true
        on conflict do nothing`,
      gone: sql`
        delete from team_memberships where account_code = ${accountCode} and id in (select id from ${ends.rows})
        returning id, ${sql.raw(kept.join())}`,
      put_back: sql`
        insert into team_memberships (account_code, id, user_id, team_id, version, ${sql.raw(kept.join())})
        select ${accountCode}, moved.id, moved.user_id, moved.team_id, moved.version,
          ${sql.raw(kept.map(name => `gone.${name}`).join())}
        from ${moved.rows} cross join gone where gone.id = moved.id
        order by moved.user_id, moved.team_id
        returning id`,
      added: sql`
        insert into team_memberships (account_code, id, ${namesOf(given)})
        select ${accountCode}, id, ${namesOf(given)} from ${pairs.rows} where ${after('gone')} and ${after('put_back')}
        order by user_id, team_id
        returning id`,
      step: sql`
        insert into idempotency_steps (account_code, key, number, result)
        select ${accountCode}, key, number, result from ${steps.rows} where ${after('added')}
        returning 1 as one`,
      head: sql`
        ${raiseCounter('membership event', eventCount, sql`where ${after('added')} and ${after('step')}`)}
        returning value`,
      event: sql`
        ${insertEvents}
        select ${accountCode}, head.value - ${eventCount} + events.place, events.kind,
          events.membership_id, events.before_user_id, events.before_team_id, events.after_user_id,
          events.after_team_id, ${typed(userId, 'integer')}, ${typed(email, 'text')}, ${typed(transactionId, 'text')}
        from head, ${events.rows}`,
    },
    'head',
    { value: tables.counters.value },
  )
  return ({ origin, plan, addedIds, complete, result }: BulkWrite): Work<unknown> => {
    const { step, ...by } = origin
    return all(statement, {
      ...by,
      ...userIds.encode(toRows(plan.userIds)),
      ...teamIds.encode(toRows(plan.teamIds)),
      ...ends.encode(toRows(plan.gone)),
      ...moved.encode(plan.moved),
      ...pairs.encode(plan.added.map((pair, index) => ({ ...pair, id: addedIds[index] ?? null }))),
      ...events.encode(complete.events.map(writePairs)),
      eventCount: complete.events.length,
      ...steps.encode(step === null ? [] : [{ ...step, result: JSON.stringify(result) }]),
    })
  }
}

function toRows(ids: readonly number[]) {
  return ids.map(id => ({ id }))
}
