import { RostrumError } from '../../errors.ts'
import { checkCaseTypeCode, isName, nameRule } from '../name.ts'
import type { Origin } from '../port.ts'
import { checkCode, completeBy, type GivenTrigger, type TriggerRules } from './complete-trigger.ts'
import type {
  CaseTask,
  CaseTaskInput,
  CaseTaskStore,
  Hook,
  HookInput,
  HookStore,
  Trigger,
  TriggerFilter,
  TriggerStore,
} from './trigger-store.ts'

const maxHooksOfEvent = 10
export const maxTasksOfType = 50
/** Maximum number of triggers in a list. */
export const maxListed = 1_000

/** The rules of a kind of trigger (contract, section 7). Check the rights to their scopes before. */
interface Triggers<Row, Input> {
  /**
   * Creates a trigger (null) or changes the one with this id. `BAD_USER_INPUT`; `NOT_FOUND` for an unknown trigger or
   * function; `CONFLICT` at the maximum, and for a name that another task of the type has.
   */
  save(origin: Origin, id: number | null, given: GivenTrigger<Input>): Promise<Row>
  /** Returns the trigger as it was. `NOT_FOUND`. */
  remove(origin: Origin, id: number): Promise<Row>
  /**
   * The triggers of a filter: hooks in ascending position, then id, and tasks in ascending id. `BAD_USER_INPUT` for a
   * bad filter, and for more than 1,000.
   */
  list(accountCode: string, filter: TriggerFilter): Promise<Row[]>
}

export type Hooks = Triggers<Hook, HookInput>
export type CaseTasks = Triggers<CaseTask, CaseTaskInput>

const hookRules: TriggerRules<HookInput> = {
  what: 'hook',
  defaults: { position: 0, scopes: [], enabled: true },
  required: ['caseTypeCode', 'event'],
  check: ({ caseTypeCode }) => checkCode(caseTypeCode),
}

const taskRules: TriggerRules<CaseTaskInput> = {
  what: 'case task',
  defaults: { scopes: [], enabled: true },
  required: ['caseTypeCode', 'name'],
  check: ({ caseTypeCode, name }) => [
    ...checkCode(caseTypeCode),
    ...(isName(name) ? [] : [{ pointer: '/name', detail: nameRule }]),
  ],
}

export function createHooks(store: HookStore): Hooks {
  return createTriggers(store, hookRules, maxHooksOfEvent)
}

export function createCaseTasks(store: CaseTaskStore): CaseTasks {
  return createTriggers(store, taskRules, maxTasksOfType)
}

function createTriggers<Row, Input extends Trigger>(
  store: TriggerStore<Row, Input>,
  rules: TriggerRules<Input>,
  maxOfType: number,
): Triggers<Row, Input> {
  return {
    save: (origin, id, given) => store.save(origin, id, completeBy(rules, given), maxOfType),
    remove: store.remove,
    async list(accountCode, filter) {
      if (filter.caseTypeCode !== null) checkCaseTypeCode(filter.caseTypeCode)
      const rows = await store.list(accountCode, filter, maxListed + 1)
      if (rows.length <= maxListed) return rows
      throw new RostrumError(
        'BAD_USER_INPUT',
        `There are more than \`${maxListed}\` such ${rules.what}s. Ask for those of one \`caseTypeCode\`.`,
      )
    },
  }
}
