import type { HeldPair } from '../../../domain/memberships/memberships-bulk-decision.ts'
import type { BulkPlan, CompleteBulk } from '../../../domain/memberships/memberships-bulk-plan.ts'
import type { BulkResult, Membership, MembershipPair, Origin } from '../../../domain/store.ts'
import type { Client } from '../connection/client.ts'
import { eventColumns, readMembership } from './membership-changes.ts'

// Takes an id for each membership that may be added. It comes first, so that bulks of an account run one after the other: rows that one
// of them deletes and puts back would be missing for another that has waited for them. A bulk that is undone gives its ids back.
const takeIds = `
with account as (
  insert into accounts (account_code) values ($1) on conflict do nothing
)
insert into counters (account_code, name, value) values ($1, 'membership', $2::bigint)
on conflict (account_code, name) do update set value = counters.value + excluded.value
returning value`

const findRows = `
select id, user_id, team_id, leader, version from team_memberships
where account_code = $1 and id = any($2::bigint[])
order by id for update`

const findPairs = `
select row.id, row.user_id, row.team_id
from unnest($2::bigint[], $3::bigint[]) as pair (user_id, team_id)
join team_memberships as row on row.account_code = $1 and row.user_id = pair.user_id and row.team_id = pair.team_id`

// In the order in which a single change locks: rows and pairs (ascending, with ids in the order given), the step, the counter of events,
// then teams and users. Each part asks for the count of those before it to come after them, so the rows that move are deleted before the
// first is put back, too.
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
), added as (
  insert into team_memberships (account_code, id, user_id, team_id)
  select $1, pair.id, pair.user_id, pair.team_id
  from changed, unnest($7::bigint[], $8::bigint[], $9::bigint[]) as pair (id, user_id, team_id)
  order by pair.user_id, pair.team_id
  returning id
), head as (
  insert into counters (account_code, name, value)
  select $1, 'membership event', $12::bigint from changed, (select count(*) from added) as all_added
  on conflict (account_code, name) do update set value = counters.value + excluded.value
  returning value - $12::bigint as before
), the_teams as (
  insert into teams (account_code, id) select $1, id from head, unnest($11::bigint[]) as id
  on conflict do nothing returning id
), the_users as (
  insert into users (account_code, id)
  select $1, id from (select count(*) from the_teams) as all_teams, unnest($10::bigint[]) as id
  on conflict do nothing
), event as (
  insert into membership_events (${eventColumns})
  select $1, head.before + event.place, event.kind, event.membership_id,
    event.before_user_id, event.before_team_id, event.after_user_id, event.after_team_id,
    $13::bigint, $14::text, $15::text
  from head, unnest($16::text[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[], $21::bigint[])
    with ordinality as event (kind, membership_id, before_user_id, before_team_id, after_user_id, after_team_id, place)
), step as (
  insert into idempotency_steps (account_code, key, number, result)
  select $1, $22::text, $23::bigint, $24::text where $22::text is not null
)
select from changed, (select count(*) from added) as all_added`

interface BulkWrite {
  readonly origin: Origin
  readonly plan: BulkPlan
  /** Of the plan's `added`, in their order. */
  readonly addedIds: readonly number[]
  readonly complete: CompleteBulk
  /** What a step keeps. */
  readonly result: BulkResult
}

type Parameter = number | string | null

/**
 * Statements over sets of rows, each set a few parameters, so that they are as many for one row as for a thousand. To be called in
 * this order in one transaction.
 */
export function createBulkStatements(client: Client) {
  const run = (text: string, values: Parameter[]) => client.query(text, values)
  return {
    /** The first of `count` ids in a row. */
    async takeIds(accountCode: string, count: number): Promise<number> {
      const [row] = await run(takeIds, [accountCode, count])
      const value = row?.value
      return Number(value) - count + 1
    },

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

    async write({ origin, plan, addedIds, complete: { events }, result }: BulkWrite): Promise<void> {
      const { gone, moved, added, userIds, teamIds } = plan
      const { accountCode, userId, email, transactionId, step } = origin
      await run(write, [
        accountCode,
        encode(gone),
        encode(moved.map(({ id }) => id)),
        ...encodePairs(moved),
        encode(moved.map(({ version }) => version)),
        encode(addedIds),
        ...encodePairs(added),
        encode(userIds),
        encode(teamIds),
        events.length,
        userId,
        email,
        transactionId,
        encode(events.map(({ kind }) => kind)),
        encode(events.map(({ membershipId }) => membershipId)),
        ...encodePairs(events.map(({ before }) => before)),
        ...encodePairs(events.map(({ after }) => after)),
        step?.key ?? null,
        step?.number ?? null,
        step && JSON.stringify(result),
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
