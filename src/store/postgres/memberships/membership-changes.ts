import type { Membership, MembershipPair, Origin } from '../../../domain/store.ts'
import type { Client, Parameter, Row } from '../connection/client.ts'

/**
 * Each change of a membership with all that belongs to it, in one statement, which is a transaction of its own: the records that it
 * needs, the row, the event, the step. A statement that is undone leaves none of them, and a gateway that hangs holds no lock.
 *
 * Each of them locks rows and pairs, then the step, then the account's counter of events, which is held until the commit, then new teams
 * and users (PostgreSQL runs the parts that no other part needs from the last to the first). So the numbers of an account's events come
 * in the order of their commits, and no two changes wait for each other in a circle.
 */
export interface MembershipChanges {
  /**
   * Undefined where the account has no such row in one of these versions, or the step was made before. Rejects with a unique violation
   * where the new pair has a membership, or the step is made at the same time.
   */
  move(
    origin: Origin,
    id: number,
    change: Partial<MembershipPair>,
    versions: string | null,
  ): Promise<Membership | undefined>
  remove(origin: Origin, id: number, versions: string | null): Promise<Membership | undefined>
}

const columns = 'id, user_id, team_id, leader, version'

const bumpCounter = (rows: string) => `
  insert into counters (account_code, name, value)
  select $1, 'membership event', 1 from ${rows}
  on conflict (account_code, name) do update set value = counters.value + 1
  returning value`

export const eventColumns = `account_code, sequence, kind, membership_id, before_user_id, before_team_id,
  after_user_id, after_team_id, by_user_id, by_email, transaction_id`

// $1 account, $2 by user, $3 by e-mail, $4 transaction, $5 key and $6 number of the step, which are null where there is none.
const origins = '$2::bigint, $3::text, $4::text'

const isNewStep = `not exists (
  select from idempotency_steps as step where step.account_code = $1 and step.key = $5::text and step.number = $6::bigint
)`

/** Keeps the row as the result of the step that `key` and `number` name, all of them SQL; no step where `key` is null. */
export const insertStep = (key: string, number: string, row: string) => `
  insert into idempotency_steps (account_code, key, number, result)
  select $1, ${key}, ${number}, json_build_object(
    'id', id, 'userId', user_id, 'teamId', team_id, 'leader', leader, 'version', version
  )::text
  from ${row} where ${key} is not null`

const moveMembership = `
with before as (
  select user_id, team_id, version from team_memberships
  where account_code = $1 and id = $7 and ($10::bigint[] is null or version = any($10::bigint[])) and ${isNewStep}
  for no key update
), the_user as (
  insert into users (account_code, id) select $1, $8::bigint from before where $8::bigint is not null
  on conflict do nothing
), the_team as (
  insert into teams (account_code, id) select $1, $9::bigint from before where $9::bigint is not null
  on conflict do nothing
), moved as (
  update team_memberships as row set
    user_id = coalesce($8::bigint, before.user_id),
    team_id = coalesce($9::bigint, before.team_id),
    version = before.version + case
      when before.user_id <> coalesce($8::bigint, before.user_id)
        or before.team_id <> coalesce($9::bigint, before.team_id) then 1 else 0 end
  from before where row.account_code = $1 and row.id = $7
  returning row.id, row.user_id, row.team_id, row.leader, row.version
), head as (${bumpCounter('moved, before where moved.version <> before.version')}
), event as (
  insert into membership_events (${eventColumns})
  select $1, head.value, 'moved', moved.id, before.user_id, before.team_id, moved.user_id, moved.team_id, ${origins}
  from moved, before, head
), step as (${insertStep('$5::text', '$6::bigint', 'moved')}
)
select * from moved`

const removeMembership = `
with removed as (
  delete from team_memberships
  where account_code = $1 and id = $7 and ($8::bigint[] is null or version = any($8::bigint[])) and ${isNewStep}
  returning ${columns}
), head as (${bumpCounter('removed')}
), event as (
  insert into membership_events (${eventColumns})
  select $1, head.value, 'removed', removed.id, removed.user_id, removed.team_id, null, null, ${origins}
  from removed, head
), step as (${insertStep('$5::text', '$6::bigint', 'removed')}
)
select * from removed`

export function createMembershipChanges(client: Client): MembershipChanges {
  async function change(text: string, origin: Origin, values: readonly Parameter[]) {
    const { accountCode, userId, email, transactionId, step } = origin
    const by = [accountCode, userId, email, transactionId, step?.key ?? null, step?.number ?? null]
    const [row] = await client.query(text, [...by, ...values])
    return row && readMembership(row)
  }
  return {
    move: (origin, id, { userId, teamId }, versions) =>
      change(moveMembership, origin, [id, userId ?? null, teamId ?? null, versions]),
    remove: (origin, id, versions) => change(removeMembership, origin, [id, versions]),
  }
}

export function readMembership(row: Row): Membership {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    teamId: Number(row.team_id),
    leader: row.leader as boolean | null,
    version: Number(row.version),
  }
}
