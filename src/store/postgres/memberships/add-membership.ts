import type { Membership, MembershipPair, Origin } from '../../../domain/store.ts'
import type { InTurn } from '../connection/account-turns.ts'
import { askTogether } from '../connection/ask-together.ts'
import type { Client } from '../connection/client.ts'
import type { EventSignal } from '../connection/event-signal.ts'
import type { Pool } from '../connection/pool.ts'
import { isOfData, isUniqueViolation } from '../connection/sql-state.ts'
import { encodeIds, encodeTexts } from '../id-list.ts'
import { eventColumns, insertStep, readMembership } from './membership-changes.ts'

/** Undefined where the pair has a membership, and where the step was made before. */
type AddMembership = (origin: Origin, pair: MembershipPair) => Promise<Membership | undefined>

interface Dependencies {
  readonly pool: Pool
  readonly inTurn: InTurn
  readonly signal: EventSignal
}

interface Addition {
  readonly origin: Origin
  readonly pair: MembershipPair
}

// PostgreSQL runs what the answer needs first, then the other parts that write, from the last to the first, each after the parts it
// needs. So rows are locked in the order in which every other change locks them (the counter of ids, pairs, steps, the counter of events,
// teams, users), and rows of one kind in ascending order. If several add the same pair, the first has made it.
const addMemberships = `
with asked as (
  select * from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bigint[])
  with ordinality as asked (user_id, team_id, by_user_id, by_email, transaction_id, key, number, place)
  where not exists (
    select from idempotency_steps as step where step.account_code = $1 and step.key = asked.key and step.number = asked.number
  )
), wanted as materialized (
  select distinct user_id, team_id from asked
  where not exists (
    select from team_memberships as row
    where row.account_code = $1 and row.user_id = asked.user_id and row.team_id = asked.team_id
  )
), ids as (
  insert into counters (account_code, name, value)
  select $1, 'membership', count(*) from wanted having count(*) > 0
  on conflict (account_code, name) do update set value = counters.value + excluded.value
  returning value - (select count(*) from wanted) as before
), added as (
  insert into team_memberships (account_code, id, user_id, team_id)
  select $1, ids.before + row_number() over (order by user_id, team_id), user_id, team_id
  from ids, wanted order by user_id, team_id
  on conflict (account_code, user_id, team_id) do nothing returning id, user_id, team_id, leader, version
), account as (
  insert into accounts (account_code) values ($1) on conflict do nothing
), the_users as (
  insert into users (account_code, id) select distinct $1, user_id from added order by user_id on conflict do nothing
), the_teams as (
  insert into teams (account_code, id) select distinct $1, team_id from added order by team_id on conflict do nothing
), head as (
  insert into counters (account_code, name, value)
  select $1, 'membership event', count(*) from added having count(*) > 0
  on conflict (account_code, name) do update set value = counters.value + excluded.value
  returning value - (select count(*) from added) as before
), made as (
  select distinct on (added.id) * from added join asked using (user_id, team_id) order by added.id, asked.place
), event as (
  insert into membership_events (${eventColumns})
  select $1, head.before + row_number() over (order by made.id), 'added', made.id, null, null,
    made.user_id, made.team_id, made.by_user_id, made.by_email, made.transaction_id
  from made, head
), step as (${insertStep('key', 'number', 'made')}
)
select id, user_id, team_id, leader, version, place from made`

/**
 * Adds memberships, and those of an account that are asked for in the same turn of the event loop by one statement: all changes of an
 * account wait for its counter until a commit is on disk, so this lets it have more of them a second than the disk has commits.
 * A step that was made before is left out, and is written with its row. What was added is announced.
 */
export function createAddMembership({ pool, inTurn, signal }: Dependencies): AddMembership {
  const addThose = (accountCode: string, additions: readonly Addition[]) =>
    inTurn(accountCode, () => addAll(pool.of(accountCode), additions))

  // Each account has its own statement, and nobody waits for that of another.
  const addTogether = askTogether(async (additions: readonly Addition[]) => {
    const accounts = Map.groupBy(additions, accountOf)
    const answers = new Map([...accounts].map(([account, those]) => [account, addThose(account, those)]))
    return additions.map(addition => ({ answer: answers.get(accountOf(addition)) }))
  })

  async function add(addition: Addition): Promise<Membership | undefined> {
    const { answer } = await addTogether(addition)
    try {
      return (await answer)?.get(addition)
    } catch (error) {
      if (!isOfData(error)) throw error
      return addAlone(addition)
    }
  }

  // Behind a statement that was refused for the data of somebody in it, who undoes nobody else by that. Of those at the same step at the
  // same time one makes it.
  async function addAlone(addition: Addition): Promise<Membership | undefined> {
    try {
      return (await addThose(accountOf(addition), [addition])).get(addition)
    } catch (error) {
      if (isUniqueViolation(error)) return undefined
      throw error
    }
  }

  return async (origin, pair) => {
    const membership = await add({ origin, pair })
    if (membership !== undefined) signal.announce(origin.accountCode)
    return membership
  }
}

const accountOf = ({ origin }: Addition) => origin.accountCode

/** Those that were made, of one account. */
async function addAll(client: Client, additions: readonly Addition[]): Promise<Map<Addition, Membership>> {
  const given = [
    additions.map(accountOf)[0] ?? '',
    encodeIds(additions.map(({ pair }) => pair.userId)),
    encodeIds(additions.map(({ pair }) => pair.teamId)),
    encodeIds(additions.map(({ origin }) => origin.userId)),
    encodeTexts(additions.map(({ origin }) => origin.email)),
    encodeTexts(additions.map(({ origin }) => origin.transactionId)),
    encodeTexts(additions.map(({ origin }) => origin.step?.key ?? null)),
    encodeIds(additions.map(({ origin }) => origin.step?.number ?? null)),
  ]
  const rows = await client.query(addMemberships, given)
  const made = new Map<Addition, Membership>()
  for (const row of rows) {
    const addition = additions[Number(row.place) - 1]
    if (addition !== undefined) made.set(addition, readMembership(row))
  }
  return made
}
