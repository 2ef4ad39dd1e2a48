import type { Origin } from '../port.ts'
import { checkCode, completeBy, type GivenTrigger, type TriggerRules } from './complete-trigger.ts'
import { listAll } from './trigger-failures.ts'
import type { Hook, HookInput, HookStore, TriggerFilter } from './trigger-store.ts'

const maxHooksOfEvent = 10

/** The rules of hooks (contract, section 7). Check the rights to their scopes before. */
export interface Hooks {
  /**
   * Creates a hook (null) or changes the one with this id. `BAD_USER_INPUT`; `NOT_FOUND` for an unknown hook or
   * function, `CONFLICT` at the maximum.
   */
  save(origin: Origin, id: number | null, given: GivenTrigger<HookInput>): Promise<Hook>
  /** Returns the hook as it was. `NOT_FOUND`. */
  remove(origin: Origin, id: number): Promise<Hook>
  /** The hooks of a filter, in ascending position, then id. `BAD_USER_INPUT` for more than 1,000. */
  list(accountCode: string, filter: TriggerFilter): Promise<Hook[]>
}

const hookRules = {
  what: 'hook',
  defaults: { position: 0, scopes: [], enabled: true },
  required: ['caseTypeCode', 'event'],
  check: ({ caseTypeCode }) => checkCode(caseTypeCode),
} as const satisfies TriggerRules<HookInput>

export function createHooks(store: HookStore): Hooks {
  return {
    async save(origin, id, given) {
      return store.save(origin, id, completeBy<HookInput>(hookRules, given), maxHooksOfEvent)
    },

    async remove(origin, id) {
      return store.remove(origin, id)
    },

    async list(accountCode, filter) {
      return listAll('hook', filter, limit => store.list(accountCode, filter, limit))
    },
  }
}
