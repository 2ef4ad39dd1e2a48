import { invalidInput, type RostrumError } from '../../errors.ts'
import type { JsonObject, JsonValue } from '../../json/read-json.ts'
import { mergePatch } from '../case-data/case-data.ts'
import { indexText } from '../case-data/case-values.ts'
import { findInOrder } from '../find-in-order.ts'
import { checkCaseTypeCode } from '../name.ts'
import type { Page } from '../port.ts'
import { type DeferredRuns, deferAfter } from '../runs/deferred-runs.ts'
import type { Scripts } from '../scripts/script.ts'
import type { Store } from '../store.ts'
import type { ChangedCase, ChangeRequest, ReadCase } from './attempt-change.ts'
import { otherCaseType } from './case-failures.ts'
import type { Case, CaseType } from './case-store.ts'
import { CaseTurns } from './case-turns.ts'
import { changeCase } from './change-case.ts'
import { createFindHooks, createHookCache, type HookCache } from './find-hooks.ts'
import { runTask, type SaveResult, type TaskRequest, type TaskResult } from './run-case-task.ts'
import { createSaveCaseType, maxIndexedFields, type SaveCaseType } from './save-case-type.ts'

export interface SaveRequest extends ChangeRequest {
  /** The type. Required to create a case; it never changes. */
  readonly caseTypeCode: string | null
  /** The whole data, or a merge patch (RFC 7396). */
  readonly data: JsonObject
  readonly isMerge: boolean
}

export interface CaseFilter {
  readonly caseTypeCode: string | null
  readonly where: readonly { readonly field: string; readonly in: readonly JsonValue[] }[]
}

/** The rules of cases (contract, section 7). */
export interface Cases {
  /** Returns the cases that exist, in the order of the ids, each once. */
  list(accountCode: string, ids: readonly number[]): Promise<Case[]>
  /**
   * Returns a page of cases. Throws `BAD_USER_INPUT` for a text that is no code, for a field that is not indexed, and
   * for more conditions than a type can have indexed fields.
   */
  page(accountCode: string, filter: CaseFilter, page: Page): Promise<Case[]>
  /**
   * Saves a case. Rejects with `NOT_FOUND`, `PRECONDITION_FAILED`, `PAYLOAD_TOO_LARGE`, `OVERLOADED`, or `CONFLICT`
   * after three attempts and for a case that the run's own transaction is changing. Hooks can cause `SCRIPT_FAILED`,
   * `SCRIPT_ERROR` and `TOO_DEEP`.
   */
  save(request: SaveRequest): Promise<ChangedCase>
  /** Deletes a case and returns it as it was. Fails like `save`. */
  remove(request: ChangeRequest & { readonly id: number }): Promise<ChangedCase>
  /** Runs a task on a case. Fails like `save`, or with `NOT_FOUND` for an unknown task. */
  runTask(request: TaskRequest): Promise<TaskResult>
  findType(accountCode: string, code: string): Promise<CaseType | null>
  /** The first 1,000 types by code. */
  listTypes(accountCode: string): Promise<CaseType[]>
  readonly saveType: SaveCaseType
}

/** What all rules of cases at a gateway share. */
export interface CaseState {
  readonly turns: CaseTurns
  readonly hooks: HookCache
}

export function createCaseState(): CaseState {
  return { turns: new CaseTurns(), hooks: createHookCache() }
}

interface Dependencies {
  readonly store: Pick<Store, 'cases' | 'hooks' | 'caseTasks'>
  readonly scripts: Scripts
  readonly deferRuns: () => DeferredRuns
  /** Resolves when it is the account's turn to use the event loop. */
  waitForTurn(accountCode: string): Promise<void>
  readonly state?: CaseState
}

// A change of a case that exists reads its type with it.
const noType = async () => null

export function createCases(dependencies: Dependencies): Cases {
  const { store: stores, scripts, deferRuns, waitForTurn, state = createCaseState() } = dependencies
  const { cases: store, hooks, caseTasks } = stores
  const parts = {
    store,
    turns: state.turns,
    findHooks: createFindHooks(hooks, state.hooks),
    scripts,
    deferRuns,
  }
  // Saves the result of a task. The same commit writes the task's run.
  const saveResult: SaveResult = (request, data, taskRuns) => {
    const ask = ({ row }: ReadCase) => ({ caseTypeCode: row?.caseTypeCode ?? '', data })
    const ofTask = { ...parts, deferRuns: () => deferAfter(taskRuns, deferRuns()) }
    return changeCase(ofTask, request, { change: 'save', findNewType: noType, ask })
  }
  return {
    list: (accountCode, ids) => findInOrder(store, accountCode, ids),

    async page(accountCode, { caseTypeCode, where }, page) {
      if (caseTypeCode !== null) checkCaseTypeCode(caseTypeCode, '/filter/caseTypeCode')
      if (where.length > 0) {
        if (caseTypeCode === null) throw noTypeOfWhere()
        const type = await store.findType(accountCode, caseTypeCode)
        refuseUnindexed(where, type?.indexedFields ?? [])
        refuseMany(where)
        // Takes a turn for each search, because SQLite blocks the event loop and an operation may have many searches.
        await waitForTurn(accountCode)
      }
      const search = where.map(({ field, in: values }) => ({ field, in: values.map(indexText) }))
      return store.page(accountCode, { caseTypeCode, where: search }, page)
    },

    async save(request) {
      const { id, caseTypeCode, data, isMerge, ifVersions, origin } = request
      if (caseTypeCode !== null) checkCaseTypeCode(caseTypeCode)
      if (id === null && caseTypeCode === null) {
        throw invalidInput([{ pointer: '/caseTypeCode', detail: 'is required to create a case' }])
      }
      if (id === null && ifVersions !== null) {
        throw invalidInput([{ pointer: '/ifVersions', detail: 'needs the id of a case' }])
      }
      return changeCase(parts, request, {
        change: 'save',
        findNewType: () => store.findType(origin.accountCode, caseTypeCode ?? ''),
        ask({ row, data: stored }) {
          if (row !== null && caseTypeCode !== null && row.caseTypeCode !== caseTypeCode) {
            throw otherCaseType(row.id, row.caseTypeCode)
          }
          return {
            caseTypeCode: row?.caseTypeCode ?? caseTypeCode ?? '',
            data: isMerge ? mergePatch(stored ?? {}, data) : data,
          }
        },
      })
    },

    async remove(request) {
      return changeCase(parts, request, {
        change: 'delete',
        findNewType: noType,
        ask: ({ row }) => ({ caseTypeCode: row?.caseTypeCode ?? '', data: null }),
      })
    },

    runTask: request => runTask({ cases: store, caseTasks, scripts, deferRuns, saveResult }, request),

    findType: (accountCode, code) => store.findType(accountCode, checkCaseTypeCode(code, '/code')),
    listTypes: store.listTypes,
    saveType: createSaveCaseType({ store, waitForTurn }),
  }
}

function refuseUnindexed(where: CaseFilter['where'], indexed: readonly string[]): void {
  const listed = indexed.length === 0 ? 'none' : indexed.map(field => `\`${field}\``).join(', ')
  const fields = where.flatMap(({ field }, index) =>
    indexed.includes(field)
      ? []
      : {
          pointer: `/filter/where/${index}/field`,
          detail: `is not an indexed field of the case type; those are: ${listed}`,
        },
  )
  if (fields.length > 0) throw invalidInput(fields)
}

// With each number of conditions comes a statement of its own, which stays prepared.
function refuseMany(where: CaseFilter['where']): void {
  if (where.length <= maxIndexedFields) return
  const detail = `can have at most ${maxIndexedFields} conditions; give one for each field, with its values in \`in\``
  throw invalidInput([{ pointer: '/filter/where', detail }])
}

function noTypeOfWhere(): RostrumError {
  return invalidInput([{ pointer: '/filter/caseTypeCode', detail: 'is required together with `where`' }])
}
