import type { HeldPair } from '../../domain/memberships-bulk-decision.ts'
import type { BulkPlan, CompleteBulk } from '../../domain/memberships-bulk-plan.ts'
import type { Membership, MembershipPair, Origin } from '../../domain/store.ts'
import type { Client } from './client.ts'
import { eventColumns, readMembership } from './membership-changes.ts'
import { onlyRow } from './only-row.ts'

// Bulks of an account go one after the other: rows that one of them deletes and puts back would be missing for another which has
// waited for them. New users and teams of the account do not wait for this.
const lockAccount = 'select 1 from accounts where account_code = $1 for no key update'

const findRows = `
select id, user_id, team_id, leader, version from team_memberships
where account_code = $1 and id = any($2::bigint[])
order by id for update`

const findPairs = `
select row.id, row.user_id, row.team_id
from unnest($2::bigint[], $3::bigint[]) as pair (user_id, team_id)
join team_memberships as row on row.account_code = $1 and row.user_id = pair.user_id and row.team_id = pair.team_id`

// In this order, for a single change locks in it too: rows and pairs (ascending, with ids in the order given), the counter, then teams
// and users; each part asks for the count of those before it to come after them. So the rows that move are deleted before the first is
// put back, too.
const write = `
with gone as (
  delete from team_memberships where account_code = $1 and id = any($2::bigint[])
  returning id, leader, created_at
), put_back as (
  insert into team_memberships (account_code, id, user_id, team_id, version, leader, created_at)
  select $1, moved.id, moved.user_id, moved.team_id, moved.version, gone.leader, gone.created_at
  from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) as moved (id, user_id, team_id, version)
  join gone on gone.id = moved.id
  order by moved.user_id, moved.team_id
  returning id
), changed as (
  select (select count(*) from gone), (select count(*) from put_back)
), numbered as materialized (
  select nextval((select pg_get_serial_sequence('team_memberships', 'id')::regclass)) as id, user_id, team_id
  from unnest($7::bigint[], $8::bigint[]) as pair (user_id, team_id)
), added as (
  insert into team_memberships (account_code, id, user_id, team_id)
  select $1, id, user_id, team_id from changed, numbered order by user_id, team_id
  returning id
), head as (
  insert into counters (account_code, name, value)
  select $1, 'membership event', $11::bigint from changed, (select count(*) from added) as all_added
  on conflict (account_code, name) do update set value = counters.value + $11::bigint
  returning value
), the_teams as (
  insert into teams (account_code, id) select $1, id from head, unnest($10::bigint[]) as id
  on conflict do nothing returning id
), the_users as (
  insert into users (account_code, id)
  select $1, id from (select count(*) from the_teams) as all_teams, unnest($9::bigint[]) as id
  on conflict do nothing
), account as (
  insert into accounts (account_code) values ($1) on conflict do nothing
)
select head.value as last_sequence, added.id from head left join added on true order by added.id`

const addEvents = `
insert into membership_events (${eventColumns})
select $1, $5::bigint + event.place, event.kind, event.membership_id,
  event.before_user_id, event.before_team_id, event.after_user_id, event.after_team_id,
  $2::bigint, $3::text, $4::text
from unnest($6::text[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
  with ordinality as event (kind, membership_id, before_user_id, before_team_id, after_user_id, after_team_id, place)`

interface Written {
  readonly addedIds: readonly number[]
  /** The one before the first of the sequence numbers that were taken. */
  readonly sequenceBefore: number
}

type Parameter = number | string | null

/**
 * Statements over sets of rows, each set some few parameters, so that they are as many for one row as for a thousand. To be called in
 * this order in one transaction.
 */
export function createBulkStatements(client: Client) {
  const run = (text: string, values: Parameter[]) => client.query(text, values)
  return {
    lockAccount: (accountCode: string) => run(lockAccount, [accountCode]),

    async findRows(accountCode: string, ids: readonly number[]): Promise<Membership[]> {
      return (await run(findRows, [accountCode, encode(ids)])).map(readMembership)
    },

    async findPairs(accountCode: string, pairs: readonly MembershipPair[]): Promise<HeldPair[]> {
      const rows = await run(findPairs, [accountCode, ...encodePairs(pairs)])
      return rows.map(row => ({
        id: Number(row.id),
        userId: Number(row.user_id),
        teamId: Number(row.team_id),
      }))
    },

    /** All but the events; gives the ids of the added rows, in the order of their pairs. */
    async write(accountCode: string, plan: BulkPlan): Promise<Written> {
      const { gone, moved, added, userIds, teamIds, eventCount } = plan
      const rows = await run(write, [
        accountCode,
        encode(gone),
        encode(moved.map(({ id }) => id)),
        ...encodePairs(moved),
        encode(moved.map(({ version }) => version)),
        ...encodePairs(added),
        encode(userIds),
        encode(teamIds),
        eventCount,
      ])
      const lastSequence = Number(onlyRow(rows.slice(0, 1)).last_sequence)
      const addedIds = rows.flatMap(({ id }) => (id === null ? [] : Number(id)))
      return { addedIds, sequenceBefore: lastSequence - eventCount }
    },

    async addEvents(origin: Origin, sequenceBefore: number, events: CompleteBulk['events']) {
      const { accountCode, userId, email, transactionId } = origin
      await run(addEvents, [
        accountCode,
        userId,
        email,
        transactionId,
        sequenceBefore,
        encode(events.map(({ kind }) => kind)),
        encode(events.map(({ membershipId }) => membershipId)),
        ...encodePairs(events.map(({ before }) => before)),
        ...encodePairs(events.map(({ after }) => after)),
      ])
    },
  }
}

function encodePairs(pairs: readonly (MembershipPair | null)[]): [userIds: string, teamIds: string] {
  return [encode(pairs.map(pair => pair?.userId ?? null)), encode(pairs.map(pair => pair?.teamId ?? null))]
}

// Numbers and plain words need no quotes in an array of PostgreSQL, and null is written as it is.
function encode(values: readonly Parameter[]): string {
  return `{${values.map(String).join()}}`
}
