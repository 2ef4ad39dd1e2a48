import { sql } from 'drizzle-orm'
import { sameName, tooManyTasks } from '../../../domain/triggers/trigger-failures.ts'
import type { CaseTask, CaseTaskStore, RunnableTask } from '../../../domain/triggers/trigger-store.ts'
import type { Database } from '../../database.ts'
import { placeholders } from '../../dialect.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { first, only, refuse } from '../../work.ts'
import type { FindTriggers, Parts } from '../parts.ts'
import { createFindTriggers, prepareLive } from './live-function.ts'
import { createTriggerStore, decodeTrigger } from './stored-triggers.ts'

const given = placeholders('accountCode', 'id', 'caseTypeCode', 'name')

export function createCaseTaskStore(
  database: Database,
  parts: Pick<Parts, 'provision' | 'takeNumbers'>,
): CaseTaskStore {
  const { prepare, read, tables } = database
  const { id, caseTypeCode, name, functionId, scopes, enabled } = tables.caseTasks
  const selection = { id, caseTypeCode, name, functionId, scopes, enabled }
  const isOther = sql`
    account_code = ${given.accountCode} and case_type_code = ${given.caseTypeCode} and id <> ${given.id}`
  const countOthers = prepare(sql`select count(*) as count from ${tables.caseTasks} where ${isOther}`, {
    count: numberOf(sql`count(*)`),
  })
  const findName = prepare(
    sql`select id from ${tables.caseTasks} where ${isOther} and name = ${given.name}`,
    { id },
  )
  const findRunnable = prepareLive(database, {
    table: 'caseTasks',
    more: { name },
    where: sql`${caseTypeCode} = ${given.caseTypeCode} and ${name} = ${given.name}`,
  })
  const triggers = createTriggerStore<typeof selection, CaseTask>(database, parts, {
    table: 'caseTasks',
    selection,
    counter: 'case task',
    order: ['id'],
    *refuseRow(accountCode, task, maxOfType) {
      const { id, caseTypeCode, name } = task
      const values = { accountCode, id, caseTypeCode }
      const existing = yield* first(findName, { ...values, name })
      if (existing !== undefined) return refuse(sameName(task, existing.id))
      const { count } = yield* only(countOthers, values)
      return count < maxOfType ? null : refuse(tooManyTasks(task, maxOfType))
    },
  })
  return {
    ...triggers,
    async findRunnable(accountCode, caseTypeCode, name) {
      const [row] = await read(findRunnable, { accountCode, caseTypeCode, name })
      return row === undefined ? null : decodeTrigger<RunnableTask>(row)
    },
  }
}

/** Finds the tasks that keep a function from being removed. */
export function createFindTasksOfFunction(database: Database): FindTriggers {
  const { caseTypeCode, name } = database.tables.caseTasks
  return createFindTriggers(
    database,
    { table: 'caseTasks', selection: { caseTypeCode, name } },
    task => `case task \`${task.name}\` (\`${task.caseTypeCode}\`)`,
  )
}
