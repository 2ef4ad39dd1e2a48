import { randomUUID } from 'node:crypto'
import type { Sql } from 'postgres'
import type { Caller } from '../authenticate.ts'
import { type RawRow, readRow } from './postgres-reads.ts'

/**
 * The gateway's writes: each one statement, and so one transaction, with the event of the change; they resolve after
 * the commit.
 */
export function createPostgresWrites(sql: Sql) {
  return {
    async add({ accountCode, userId: byUserId }: Caller, { userId, teamId }: Pair) {
      const [row] = await sql<RawRow[]>`
        with number as (
          insert into counters (account_code, name, value) values (${accountCode}, 'membership', 1)
          on conflict (account_code, name) do update set value = counters.value + 1 returning value
        ), added as (
          insert into team_memberships (account_code, id, user_id, team_id)
          select ${accountCode}, number.value, ${userId}::bigint, ${teamId}::bigint from number
          on conflict do nothing returning id, user_id, team_id, leader, version
        ), account as (
          insert into accounts (account_code) values (${accountCode}) on conflict do nothing
        ), the_user as (
          insert into users (account_code, id) values (${accountCode}, ${userId}) on conflict do nothing
        ), the_team as (
          insert into teams (account_code, id) values (${accountCode}, ${teamId}) on conflict do nothing
        ), head as (
          insert into counters (account_code, name, value) select ${accountCode}, 'membership event', 1 from added
          on conflict (account_code, name) do update set value = counters.value + 1 returning value
        ), event as (
          insert into membership_events
            (account_code, sequence, kind, membership_id, after_user_id, after_team_id, by_user_id, transaction_id)
          select ${accountCode}, head.value, 'added', added.id, added.user_id, added.team_id,
            ${byUserId}, ${randomUUID()}
          from added, head
        )
        select * from added`
      return row && readRow(row)
    },
    async move({ accountCode, userId: byUserId }: Caller, { id, teamId }: Move) {
      const [row] = await sql<RawRow[]>`
        with before as (
          select user_id, team_id, version from team_memberships
          where account_code = ${accountCode} and id = ${id} for no key update
        ), the_team as (
          insert into teams (account_code, id)
            select ${accountCode}, ${teamId}::bigint from before on conflict do nothing
        ), moved as (
          update team_memberships as row set
            team_id = ${teamId},
            version = before.version + case when before.team_id <> ${teamId} then 1 else 0 end
          from before where row.account_code = ${accountCode} and row.id = ${id}
          returning row.id, row.user_id, row.team_id, row.leader, row.version
        ), head as (
          insert into counters (account_code, name, value)
          select ${accountCode}, 'membership event', 1 from moved, before where moved.version <> before.version
          on conflict (account_code, name) do update set value = counters.value + 1 returning value
        ), event as (
          insert into membership_events (account_code, sequence, kind, membership_id, before_user_id, before_team_id,
            after_user_id, after_team_id, by_user_id, transaction_id)
          select ${accountCode}, head.value, 'moved', moved.id, before.user_id, before.team_id,
            moved.user_id, moved.team_id, ${byUserId}, ${randomUUID()}
          from moved, before, head
        )
        select * from moved`
      return row && readRow(row)
    },
  }
}

interface Pair {
  readonly userId: number
  readonly teamId: number
}

interface Move {
  readonly id: number
  readonly teamId: number
}
