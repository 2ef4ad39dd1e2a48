import { sql } from 'drizzle-orm'
import { tooManyHooks } from '../../../domain/triggers/trigger-failures.ts'
import type { Hook, HookStore, LiveHook } from '../../../domain/triggers/trigger-store.ts'
import type { Database } from '../../database.ts'
import { placeholders } from '../../dialect.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { all, only, refuse } from '../../work.ts'
import type { FindTriggers, Parts } from '../parts.ts'
import { createFindTriggers, prepareLive } from './live-function.ts'
import { createTriggerStore, decodeTrigger } from './stored-triggers.ts'

const given = placeholders('accountCode', 'id', 'caseTypeCode', 'event', 'laterEvent')

export function createHookStore(
  database: Database,
  parts: Pick<Parts, 'provision' | 'takeNumbers'>,
): HookStore {
  const { prepare, read, tables } = database
  const { id, caseTypeCode, event, functionId, position, scopes, enabled } = tables.hooks
  const selection = { id, caseTypeCode, event, functionId, position, scopes, enabled }
  const { forget, findByIds } = database.findByIds(tables.hooks, selection)
  const isOfEvent = sql`${caseTypeCode} = ${given.caseTypeCode} and ${event} = ${given.event}`
  const countOthers = prepare(
    sql`
      select count(*) as count from ${tables.hooks}
      where account_code = ${given.accountCode} and ${isOfEvent} and id <> ${given.id}`,
    { count: numberOf(sql`count(*)`) },
  )
  const raiseRevision = prepare(sql`
    update case_types set revision = revision + 1
    where account_code = ${given.accountCode} and code = ${given.caseTypeCode}`)
  const findLive = prepareLive(database, {
    table: 'hooks',
    more: { event, position },
    where: sql`
      ${caseTypeCode} = ${given.caseTypeCode} and ${event} in (${given.event}, ${given.laterEvent})
      order by ${position}, ${id}`,
  })
  const triggers = createTriggerStore<typeof selection, Hook>(database, parts, {
    table: 'hooks',
    selection,
    counter: 'hook',
    order: ['position', 'id'],
    forget,
    *refuseRow(accountCode, hook, maxOfType) {
      const { id, caseTypeCode, event } = hook
      const { count } = yield* only(countOthers, { accountCode, id, caseTypeCode, event })
      return count < maxOfType ? null : refuse(tooManyHooks(hook, maxOfType))
    },
    afterChange: (accountCode, caseTypeCode) => all(raiseRevision, { accountCode, caseTypeCode }),
  })
  return {
    ...triggers,
    async findByIds(accountCode, ids) {
      return (await findByIds(accountCode, ids)).map(row => decodeTrigger<Hook>(row))
    },
    async findLive(accountCode, caseTypeCode, [event, laterEvent]) {
      const rows = await read(findLive, { accountCode, caseTypeCode, event, laterEvent })
      return rows.map(row => decodeTrigger<LiveHook>(row))
    },
  }
}

/** Finds the hooks that keep a function from being removed. */
export function createFindHooksOfFunction(database: Database): FindTriggers {
  const { id, caseTypeCode, event } = database.tables.hooks
  return createFindTriggers(
    database,
    { table: 'hooks', selection: { id, caseTypeCode, event } },
    hook => `hook \`${hook.id}\` (\`${hook.caseTypeCode}\`, \`${hook.event}\`)`,
  )
}
