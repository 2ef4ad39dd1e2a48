import { type SQL, sql } from 'drizzle-orm'
import type { Membership, MembershipPair } from '../../../domain/memberships/membership-store.ts'
import type { Origin } from '../../../domain/port.ts'
import type { Database } from '../../database.ts'
import { type Chain, namesOf } from '../../dialect.ts'
import { raiseCounter } from '../../entities/counters.ts'
import { insertEvents } from '../../entities/events.ts'
import { selectAdded, selectMembership } from '../../entities/memberships/membership-reads.ts'
import { rowBytes, type StoredBytesCounter } from '../../entities/stored-bytes.ts'
import { createStepParts, stepValues } from '../../steps.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { askTogether } from '../ask-together.ts'
import type { Calls } from '../connection/calls.ts'
import type { Client } from '../connection/client.ts'
import { isDataError, isUniqueViolation } from '../connection/sql-state.ts'
import { expressions } from '../dialect.ts'
import { tables } from '../tables.ts'

/**
 * Adds a membership. Resolves with `undefined` if the pair already has one, the account is full, or the step was made
 * before.
 */
type AddMembership = (addition: Addition) => Promise<Membership | undefined>

interface Addition {
  readonly origin: Origin
  readonly pair: MembershipPair
}

/**
 * Adds memberships. Additions of one account in the same turn of the event loop share a statement. All changes of an
 * account wait for its counter until a commit is on disk, so only sharing allows more additions a second than commits.
 * A step is written with its row. An addition whose step was made before is left out.
 */
export function createAddMembership(
  database: Database,
  stored: StoredBytesCounter,
  { pool, withAccountSlot }: Calls,
): AddMembership {
  const addAll = prepareAddAll(database, stored)
  const addSome = (accountCode: string, additions: readonly Addition[]) =>
    withAccountSlot(accountCode, () => addAll(pool.of(accountCode), accountCode, additions))

  // One statement for each account, so that no account waits for the statement of another.
  const addTogether = askTogether(async (additions: readonly Addition[]) => {
    const accounts = Map.groupBy(additions, accountOf)
    const answers = new Map([...accounts].map(([account, some]) => [account, addSome(account, some)]))
    return additions.map(addition => ({ answer: answers.get(accountOf(addition)) }))
  })

  // Adds one membership with a statement of its own, after a shared statement was refused for the data of one addition.
  // If several attempts at a step come at the same time, only one makes it.
  async function addAlone(addition: Addition): Promise<Membership | undefined> {
    try {
      return (await addSome(accountOf(addition), [addition])).get(addition)
    } catch (error) {
      if (isUniqueViolation(error)) return undefined
      throw error
    }
  }

  return async addition => {
    const { answer } = await addTogether(addition)
    try {
      return (await answer)?.get(addition)
    } catch (error) {
      if (!isDataError(error)) throw error
      return addAlone(addition)
    }
  }
}

const accountCode = sql.placeholder('accountCode')
const { insert: insertStep } = createStepParts(expressions)
const accountOf = ({ origin }: Addition) => origin.accountCode

/** Prepares the statement that adds memberships of one account and returns those that were made. */
function prepareAddAll({ chain, list }: Database, stored: StoredBytesCounter) {
  const asked = list('asked', {
    ...selectAdded(tables),
    byUserId: 'integer',
    byEmail: 'text',
    transactionId: 'text',
    key: 'text',
    number: 'integer',
  })
  const selection = { ...selectMembership(tables), place: numberOf(sql`place`) }
  const statement = chain(buildParts(asked.rows, stored), 'answer', selection)
  return async (client: Client, accountCode: string, additions: readonly Addition[]) => {
    const rows = additions.map(({ pair, origin }) => ({
      ...pair,
      byUserId: origin.userId,
      byEmail: origin.email,
      transactionId: origin.transactionId,
      ...stepValues(origin),
    }))
    const made = new Map<Addition, Membership>()
    const answers = await statement.run({ accountCode, ...asked.encode(rows) }, client)
    for (const { place, ...membership } of answers) {
      const addition = additions[place - 1]
      if (addition !== undefined) made.set(addition, membership)
    }
    return made
  }
}

// PostgreSQL first runs the parts that the answer needs, then the other writing parts from last to first, each after
// the parts that it reads. This order makes the chain lock rows like every other change: counter of ids, pairs, steps,
// counter of events, teams, users. Rows of one kind are locked in ascending order. If several requests add the same
// pair, the first one makes it.
function buildParts(rows: SQL, { hasRoom }: StoredBytesCounter): Chain {
  const given = namesOf(selectAdded(tables))
  return {
    asked: sql`
      select * from ${rows} where not exists (
        select from idempotency_steps as step
        where step.account_code = ${accountCode} and step.key = asked.key and step.number = asked.number
      ) and ${hasRoom(sql`${rowBytes} * asked.place`)}`,
    wanted: sql`
      select distinct on (user_id, team_id) ${given} from asked where not exists (
        select from team_memberships as row
        where row.account_code = ${accountCode} and row.user_id = asked.user_id and row.team_id = asked.team_id
      ) order by user_id, team_id, place`,
    ids: sql`
      ${raiseCounter('membership', sql`count(*)`, sql`from wanted having count(*) > 0`)}
      returning value - (select count(*) from wanted) as before`,
    added: sql`
      insert into team_memberships (account_code, id, ${given})
      select ${accountCode}, ids.before + row_number() over (order by user_id, team_id), ${given}
      from ids, wanted order by user_id, team_id
      on conflict (account_code, user_id, team_id) do nothing returning ${namesOf(selectMembership(tables))}`,
    account: sql`insert into accounts (account_code) values (${accountCode}) on conflict do nothing`,
    the_users: sql`
      insert into users (account_code, id) select distinct ${accountCode}, user_id from added order by user_id
      on conflict do nothing`,
    the_teams: sql`
      insert into teams (account_code, id) select distinct ${accountCode}, team_id from added order by team_id
      on conflict do nothing`,
    head: sql`
      ${raiseCounter('membership event', sql`count(*)`, sql`from added having count(*) > 0`)}
      returning value - (select count(*) from added) as before`,
    made: sql`
      select distinct on (added.id) added.*, asked.place, asked.by_user_id, asked.by_email, asked.transaction_id,
        asked.key, asked.number
      from added join asked using (user_id, team_id) order by added.id, asked.place`,
    event: sql`
      ${insertEvents}
      select ${accountCode}, head.before + row_number() over (order by made.id), 'added', made.id, null, null,
        made.user_id, made.team_id, made.by_user_id, made.by_email, made.transaction_id
      from made, head`,
    step: insertStep('made', selectMembership(tables), { key: sql`key`, number: sql`number` }),
    answer: sql`select ${namesOf(selectMembership(tables))}, place from made`,
  }
}
