import { invalidInput, RostrumError } from '../../errors.ts'
import { checkCaseTypeCode } from '../cases/case-failures.ts'
import { noFunction } from '../functions/functions.ts'
import { checkId } from '../id.ts'
import { isName, nameRule } from '../name.ts'
import type { Origin } from '../store.ts'
import type { CaseTask, CaseTaskInput, CaseTaskStore } from './hook-store.ts'
import { listAll, noTrigger, tooMany } from './trigger-failures.ts'

const maxTasksOfType = 50

/** The rules of case tasks (contract, section 7). Check the rights to their scopes before. */
export interface CaseTasks {
  /**
   * Creates a task (null) or changes the one with this id. `NOT_FOUND` for an unknown task or function, `CONFLICT` at
   * the maximum and for a name that another task of the type has.
   */
  save(origin: Origin, id: number | null, input: CaseTaskInput): Promise<CaseTask>
  /** Gives the task as it was. `NOT_FOUND`. */
  remove(origin: Origin, id: number): Promise<CaseTask>
  /** The tasks of a case type, or of all (null), in ascending id. */
  list(accountCode: string, caseTypeCode: string | null): Promise<CaseTask[]>
}

export function createCaseTasks(store: CaseTaskStore): CaseTasks {
  return {
    async save(origin, id, input) {
      if (id !== null) checkId(id, 'case task id')
      const { name, functionId } = input
      checkId(functionId, 'function id')
      const caseTypeCode = checkCaseTypeCode(input.caseTypeCode)
      if (!isName(name)) throw invalidInput([{ pointer: '/name', detail: nameRule }])
      const result = await store.save(origin, id, input, maxTasksOfType)
      switch (result.kind) {
        case 'saved':
          return result.row
        case 'missing':
          throw result.what === 'function' ? noFunction(String(functionId)) : noTrigger('case task', id ?? 0)
        case 'full':
          throw tooMany(`The case type \`${caseTypeCode}\` has \`${maxTasksOfType}\` tasks`)
        case 'duplicate':
          throw sameName(name, caseTypeCode, result.existingId)
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

function sameName(name: string, caseTypeCode: string, existingId: number): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `The case type \`${caseTypeCode}\` has a task \`${name}\` already: the task with the id \`${existingId}\`. ` +
      'Change that one or choose another name.',
    { reason: 'NAME_TAKEN', facts: { existingId } },
  )
}
