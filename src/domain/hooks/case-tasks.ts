import { RostrumError } from '../../errors.ts'
import { checkCaseTypeCode } from '../cases/case-failures.ts'
import { checkId } from '../id.ts'
import { isName, nameRule } from '../name.ts'
import type { Origin } from '../port.ts'
import {
  checkCode,
  completeBy,
  type GivenTrigger,
  noChosenFunction,
  type TriggerRules,
} from './complete-trigger.ts'
import type { CaseTask, CaseTaskInput, CaseTaskStore } from './hook-store.ts'
import { listAll, noTrigger, tooMany } from './trigger-failures.ts'

const maxTasksOfType = 50

/** The rules of case tasks (contract, section 7). Check the rights to their scopes before. */
export interface CaseTasks {
  /**
   * Creates a task (null) or changes the one with this id. `BAD_USER_INPUT`; `NOT_FOUND` for an unknown task or
   * function, `CONFLICT` at the maximum and for a name that another task of the type has.
   */
  save(origin: Origin, id: number | null, given: GivenTrigger<CaseTaskInput>): Promise<CaseTask>
  /** Gives the task as it was. `NOT_FOUND`. */
  remove(origin: Origin, id: number): Promise<CaseTask>
  /** The tasks of a case type, or of all (null), in ascending id. */
  list(accountCode: string, caseTypeCode: string | null): Promise<CaseTask[]>
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
      if (id !== null) checkId(id, 'case task id')
      const complete = completeBy<CaseTaskInput>(taskRules, given)
      const result = await store.save(origin, id, complete, maxTasksOfType)
      switch (result.kind) {
        case 'saved':
          return result.row
        case 'refused':
          throw result.error
        case 'missing':
          throw result.what === 'function' ? noChosenFunction(result.chosen) : noTrigger('case task', id ?? 0)
        case 'full':
          throw tooMany(`The case type \`${result.row.caseTypeCode}\` has \`${maxTasksOfType}\` tasks`)
        case 'duplicate':
          throw sameName(result.row, result.existingId)
        default:
          return result satisfies never
      }
    },

    async remove(origin, id) {
      const result = await store.remove(origin, checkId(id, 'case task id'))
      if (result.kind === 'missing') throw noTrigger('case task', id)
      return result.row
    },

    async list(accountCode, caseTypeCode) {
      if (caseTypeCode !== null) checkCaseTypeCode(caseTypeCode)
      return listAll('case task', limit => store.list(accountCode, caseTypeCode, limit))
    },
  }
}

function sameName({ name, caseTypeCode }: CaseTask, existingId: number): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `The case type \`${caseTypeCode}\` has a task \`${name}\` already: the task with the id \`${existingId}\`. ` +
      'Change that one or choose another name.',
    { reason: 'NAME_TAKEN', facts: { existingId } },
  )
}
