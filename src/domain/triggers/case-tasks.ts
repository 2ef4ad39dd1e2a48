import { isName, nameRule } from '../name.ts'
import type { Origin } from '../port.ts'
import { checkCode, completeBy, type GivenTrigger, type TriggerRules } from './complete-trigger.ts'
import { listAll } from './trigger-failures.ts'
import type { CaseTask, CaseTaskInput, CaseTaskStore, TriggerFilter } from './trigger-store.ts'

const maxTasksOfType = 50

/** The rules of case tasks (contract, section 7). Check the rights to their scopes before. */
export interface CaseTasks {
  /**
   * Creates a task (null) or changes the one with this id. `BAD_USER_INPUT`; `NOT_FOUND` for an unknown task or
   * function, `CONFLICT` at the maximum and for a name that another task of the type has.
   */
  save(origin: Origin, id: number | null, given: GivenTrigger<CaseTaskInput>): Promise<CaseTask>
  /** Returns the task as it was. `NOT_FOUND`. */
  remove(origin: Origin, id: number): Promise<CaseTask>
  /** The tasks of a filter, in ascending id. `BAD_USER_INPUT` for more than 1,000. */
  list(accountCode: string, filter: TriggerFilter): Promise<CaseTask[]>
}

const taskRules = {
  what: 'case task',
  defaults: { scopes: [], enabled: true },
  required: ['caseTypeCode', 'name'],
  check: ({ caseTypeCode, name }) => [
    ...checkCode(caseTypeCode),
    ...(isName(name) ? [] : [{ pointer: '/name', detail: nameRule }]),
  ],
} as const satisfies TriggerRules<CaseTaskInput>

export function createCaseTasks(store: CaseTaskStore): CaseTasks {
  return {
    async save(origin, id, given) {
      return store.save(origin, id, completeBy<CaseTaskInput>(taskRules, given), maxTasksOfType)
    },

    async remove(origin, id) {
      return store.remove(origin, id)
    },

    async list(accountCode, filter) {
      return listAll('case task', filter, limit => store.list(accountCode, filter, limit))
    },
  }
}
