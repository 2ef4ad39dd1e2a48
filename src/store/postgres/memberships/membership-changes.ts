import { type SQL, sql } from 'drizzle-orm'
import type { Membership } from '../../../domain/memberships/membership-store.ts'
import { type Dialect, namesOf, placeholders, type Statement } from '../../dialect.ts'
import { raiseCounter } from '../../entities/counters.ts'
import { insertEvents } from '../../entities/events.ts'
import type { Move, RowChange } from '../../entities/memberships/membership-look-ups.ts'
import { selectMembership } from '../../entities/memberships/membership-reads.ts'
import { rowBytes, type StoredBytesCounter } from '../../entities/stored-bytes.ts'
import { createStepParts, stepValues } from '../../steps.ts'
import { first } from '../../work.ts'
import { expressions } from '../dialect.ts'
import { tables } from '../tables.ts'

const { accountCode, id, versions } = placeholders('accountCode', 'id', 'versions')
const { toUserId, toTeamId } = placeholders('toUserId', 'toTeamId')
const { userId, email, transactionId } = placeholders('userId', 'email', 'transactionId')
const steps = createStepParts(expressions)
const isTheRow = sql`
  account_code = ${accountCode} and id = ${id}
  and (${versions}::bigint[] is null or version = any(${versions}::bigint[]))
  and ${steps.isOpen}`

const selection = selectMembership(tables)

/**
 * Returns the parts that follow the change of a row: its event number, its event with the `pairs` before and after, its
 * step.
 */
const record = (row: 'moved' | 'removed', rows: SQL, pairs: SQL) => ({
  head: sql`${raiseCounter('membership event', sql`1`, sql`from ${rows}`)} returning value`,
  event: sql`
    ${insertEvents}
    select ${accountCode}, head.value, ${sql.raw(`'${row}', ${row}.id`)}, ${pairs}, ${userId}::bigint,
      ${email}::text, ${transactionId}::text
    from head, ${rows}`,
  step: steps.insert(row, selection),
})

const newUserId = sql`coalesce(${toUserId}::bigint, user_id)`
const newTeamId = sql`coalesce(${toTeamId}::bigint, team_id)`

const buildMove = ({ hasRoom }: StoredBytesCounter) => ({
  before: sql`
    select user_id, team_id, version, ${newUserId} as new_user_id, ${newTeamId} as new_team_id from team_memberships
    where ${isTheRow} and not exists (
      select from team_memberships as other
      where other.account_code = ${accountCode} and other.id <> ${id}
        and other.user_id = coalesce(${toUserId}::bigint, team_memberships.user_id)
        and other.team_id = coalesce(${toTeamId}::bigint, team_memberships.team_id)
    ) and ((user_id, team_id) = (${newUserId}, ${newTeamId}) or ${hasRoom(rowBytes)})
    for no key update`,
  the_user: sql`
    insert into users (account_code, id) select ${accountCode}, new_user_id from before
    where ${toUserId}::bigint is not null on conflict do nothing`,
  the_team: sql`
    insert into teams (account_code, id) select ${accountCode}, new_team_id from before
    where ${toTeamId}::bigint is not null on conflict do nothing`,
  moved: sql`
    update team_memberships as row set user_id = new_user_id, team_id = new_team_id,
      version = before.version
        + case when (before.user_id, before.team_id) = (new_user_id, new_team_id) then 0 else 1 end
    from before where row.account_code = ${accountCode} and row.id = ${id}
    returning ${namesOf(selection, 'row')}`,
  ...record(
    'moved',
    sql`moved join before on moved.version <> before.version`,
    sql`before.user_id, before.team_id, moved.user_id, moved.team_id`,
  ),
})

const remove = {
  removed: sql`
    delete from team_memberships where ${isTheRow} returning ${namesOf(selection)}`,
  ...record('removed', sql`removed`, sql`removed.user_id, removed.team_id, null, null`),
}

/**
 * Builds each change of a membership as one chain, which is a transaction of its own. It writes the needed records, the
 * row, the event and the step. A gateway that hangs therefore holds no lock. Each chain locks rows and pairs, then the
 * step, then the account's counter of events until the commit, then new teams and users. So the event numbers of an
 * account have the order of its commits, and changes do not deadlock. A chain returns no row in four cases: the account
 * has no such row in one of the versions, another row has the new pair, the account is full, or the step was made
 * before.
 */
export function createMembershipChanges({ chain, encodeList }: Dialect, stored: StoredBytesCounter) {
  const moving = chain(buildMove(stored), 'moved', selection)
  const removing = chain(remove, 'removed', selection)

  function change(statement: Statement<Membership>, row: RowChange, to: object = {}) {
    const versions = row.ifVersions && encodeList(row.ifVersions)
    return first(statement, { ...row.origin, ...stepValues(row.origin), id: row.id, versions, ...to })
  }

  return {
    move: ({ change: to, ...row }: Move) =>
      change(moving, row, { toUserId: to.userId ?? null, toTeamId: to.teamId ?? null }),
    remove: (row: RowChange) => change(removing, row),
  }
}
