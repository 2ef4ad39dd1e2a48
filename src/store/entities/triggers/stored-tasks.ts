import { sql } from 'drizzle-orm'
import { sameName, tooManyTasks } from '../../../domain/triggers/trigger-failures.ts'
import type { CaseTask, CaseTaskStore } from '../../../domain/triggers/trigger-store.ts'
import type { Database } from '../../database.ts'
import { placeholders } from '../../dialect.ts'
import type { Parts } from '../parts.ts'
import { prepareLive } from './live-function.ts'
import { createTriggerStore } from './stored-triggers.ts'
import type { TriggerKind } from './trigger-kind.ts'

export const taskKind: TriggerKind<CaseTask> = {
  trigger: 'task',
  within: ['caseTypeCode'],
  order: ['id'],
  tooMany: tooManyTasks,
  sameName,
  describe: ({ name, caseTypeCode }) => `case task \`${name}\` (\`${caseTypeCode}\`)`,
}

const given = placeholders('caseTypeCode', 'name')

export function createCaseTaskStore(
  database: Database,
  parts: Pick<Parts, 'provision' | 'takeNumbers'>,
): CaseTaskStore {
  const { caseTypeCode, name } = database.tables.caseTasks
  const findRunnable = prepareLive(database, {
    table: 'caseTasks',
    more: { name },
    where: sql`${caseTypeCode} = ${given.caseTypeCode} and ${name} = ${given.name}`,
  })
  return {
    ...createTriggerStore(database, parts, taskKind),
    async findRunnable(accountCode, caseTypeCode, name) {
      const [row] = await database.read(findRunnable, { accountCode, caseTypeCode, name })
      return row ?? null
    },
  }
}
