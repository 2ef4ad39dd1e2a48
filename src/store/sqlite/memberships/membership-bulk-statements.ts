import type { Database as Client } from 'better-sqlite3'
import type { HeldPair } from '../../../domain/memberships/memberships-bulk-decision.ts'
import type { BulkPlan, CompleteBulk } from '../../../domain/memberships/memberships-bulk-plan.ts'
import type { Membership, MembershipPair, Origin } from '../../../domain/store.ts'
import { encodeIds } from '../id-list.ts'

/** A row to be changed, and when it was made. */
export interface FoundRow {
  readonly membership: Membership
  readonly createdAt: number
}

type RawRow = [
  id: number,
  userId: number,
  teamId: number,
  leader: number | null,
  version: number,
  createdAt: number,
]

const insertRecords = (table: 'users' | 'teams') => `
  insert into ${table} (account_code, id) select @accountCode, value from json_each(@ids) where true
  on conflict do nothing`

/**
 * Statements over sets of rows, each set one parameter of JSON, so that they are as many for one row as for a thousand. To be called
 * in the transaction of the changes.
 */
export function prepareBulkStatements(client: Client) {
  const findRows = client
    .prepare<{ accountCode: string; ids: string }, RawRow>(
      `select id, user_id, team_id, leader, version, created_at from team_memberships
      where account_code = @accountCode and id in (select value from json_each(@ids))`,
    )
    .raw()
  // `cross` has each pair looked up in the index.
  const findPairs = client.prepare<{ accountCode: string; pairs: string }, HeldPair>(
    `select row.id, row.user_id as userId, row.team_id as teamId
    from json_each(@pairs) as pair cross join team_memberships as row
    where row.account_code = @accountCode
      and row.user_id = pair.value ->> 'userId' and row.team_id = pair.value ->> 'teamId'`,
  )
  const insertAccount = client.prepare(
    'insert into accounts (account_code) values (@accountCode) on conflict do nothing',
  )
  const insertUsers = client.prepare(insertRecords('users'))
  const insertTeams = client.prepare(insertRecords('teams'))
  const remove = client.prepare(
    `delete from team_memberships
    where account_code = @accountCode and id in (select value from json_each(@ids))`,
  )
  const putBack = client.prepare(
    `insert into team_memberships (account_code, id, user_id, team_id, leader, version, created_at)
    select @accountCode, value ->> '$.membership.id', value ->> '$.membership.userId',
      value ->> '$.membership.teamId', value ->> '$.membership.leader', value ->> '$.membership.version',
      value ->> '$.createdAt'
    from json_each(@rows)`,
  )
  const add = client.prepare(
    `insert into team_memberships (account_code, id, user_id, team_id)
    select @accountCode, @firstId + key, value ->> 'userId', value ->> 'teamId' from json_each(@pairs)`,
  )
  const addEvents = client.prepare(
    `insert into membership_events (account_code, sequence, kind, membership_id,
      before_user_id, before_team_id, after_user_id, after_team_id, by_user_id, by_email, transaction_id)
    select @accountCode, @firstSequence + key, value ->> 'kind', value ->> 'membershipId',
      value ->> '$.before.userId', value ->> '$.before.teamId',
      value ->> '$.after.userId', value ->> '$.after.teamId', @userId, @email, @transactionId
    from json_each(@events)`,
  )
  return {
    findRows: (accountCode: string, ids: readonly number[]): FoundRow[] =>
      findRows.all({ accountCode, ids: encodeIds(ids) }).map(readRow),
    findPairs: (accountCode: string, pairs: readonly MembershipPair[]): HeldPair[] =>
      findPairs.all({ accountCode, pairs: JSON.stringify(pairs) }),
    provision(accountCode: string, { userIds, teamIds }: BulkPlan) {
      if (userIds.length === 0) return
      insertAccount.run({ accountCode })
      insertUsers.run({ accountCode, ids: encodeIds(userIds) })
      insertTeams.run({ accountCode, ids: encodeIds(teamIds) })
    },
    remove: (accountCode: string, ids: readonly number[]) => remove.run({ accountCode, ids: encodeIds(ids) }),
    putBack: (accountCode: string, rows: readonly FoundRow[]) =>
      putBack.run({ accountCode, rows: JSON.stringify(rows) }),
    add: (accountCode: string, firstId: number, pairs: readonly MembershipPair[]) =>
      add.run({ accountCode, firstId, pairs: JSON.stringify(pairs) }),
    addEvents({ step: _, ...origin }: Origin, firstSequence: number, events: CompleteBulk['events']) {
      addEvents.run({ ...origin, firstSequence, events: JSON.stringify(events) })
    },
  }
}

function readRow([id, userId, teamId, leader, version, createdAt]: RawRow): FoundRow {
  return {
    membership: { id, userId, teamId, leader: leader === null ? null : leader !== 0, version },
    createdAt,
  }
}
