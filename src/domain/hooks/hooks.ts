import { checkCaseTypeCode } from '../cases/case-failures.ts'
import { noFunction } from '../functions/functions.ts'
import { checkId } from '../id.ts'
import type { Origin } from '../store.ts'
import type { Hook, HookInput, HookStore } from './hook-store.ts'
import { listAll, noTrigger, tooMany } from './trigger-failures.ts'

const maxHooksOfEvent = 10

/** The rules of hooks (contract, section 7). Check the rights to their scopes before. */
export interface Hooks {
  /**
   * Creates a hook (null) or changes the one with this id. `NOT_FOUND` for an unknown hook or function, `CONFLICT` at
   * the maximum.
   */
  save(origin: Origin, id: number | null, input: HookInput): Promise<Hook>
  /** Gives the hook as it was. `NOT_FOUND`. */
  remove(origin: Origin, id: number): Promise<Hook>
  /** The hooks of a case type, or of all (null), in ascending position, then id. */
  list(accountCode: string, caseTypeCode: string | null): Promise<Hook[]>
}

export function createHooks(store: HookStore): Hooks {
  return {
    async save(origin, id, input) {
      if (id !== null) checkId(id, 'hook id')
      const { event, functionId } = input
      checkId(functionId, 'function id')
      const caseTypeCode = checkCaseTypeCode(input.caseTypeCode)
      const result = await store.save(origin, id, input, maxHooksOfEvent)
      switch (result.kind) {
        case 'saved':
          return result.row
        case 'missing':
          throw result.what === 'function' ? noFunction(String(functionId)) : noTrigger('hook', id ?? 0)
        case 'full':
          throw tooMany(
            `The case type \`${caseTypeCode}\` has \`${maxHooksOfEvent}\` hooks of the event \`${event}\`, ` +
              'disabled ones included',
          )
        case 'duplicate':
          throw new Error('A hook has no name.')
        default:
          return result satisfies never
      }
    },

    async remove(origin, id) {
      const result = await store.remove(origin, checkId(id, 'hook id'))
      if (result.kind === 'missing') throw noTrigger('hook', id)
      return result.row
    },

    async list(accountCode, caseTypeCode) {
      if (caseTypeCode !== null) checkCaseTypeCode(caseTypeCode)
      return listAll('hook', limit => store.list(accountCode, caseTypeCode, limit))
    },
  }
}
