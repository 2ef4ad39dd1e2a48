import { GatewayError, isCode } from '../gateway/gateway-error.ts'
import { ask, operation } from '../gateway/operation.ts'

/** A case without its data. */
export interface CaseRow {
  readonly id: string
  readonly caseTypeCode: string
  readonly version: number
  readonly updatedAt: string
}

interface PageInfo {
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
}

export interface CasePage {
  readonly nodes: readonly CaseRow[]
  readonly pageInfo: PageInfo
}

export const listCases = operation<
  { cases: CasePage },
  { filter: { readonly caseTypeCode?: string }; last: number; before: string | null }
>(
  `query ListCases($filter: CaseFilter, $last: Int, $before: String) {
    cases(filter: $filter, last: $last, before: $before) {
      nodes { id caseTypeCode version updatedAt } pageInfo { hasPreviousPage startCursor }
    }
  }`,
)

export const listCaseTypes = operation<{ caseTypes: readonly { readonly code: string }[] }>(
  `query ListCaseTypes { caseTypes { code } }`,
)

export type CaseData = Readonly<Record<string, unknown>>

export interface FoundCase extends CaseRow {
  readonly data: CaseData
}

/** The data of a case at one version. */
export type CaseVersion = Pick<FoundCase, 'version' | 'data'>

const caseFields = `id caseTypeCode version updatedAt data`

const findCase = operation<{ case: FoundCase | null }, { id: string }>(
  `query FindCase($id: ID!) { case(id: $id) { ${caseFields} } }`,
)

/** Returns the case with the id of an address. Throws if there is none. */
export async function loadCase(id: string | null): Promise<FoundCase> {
  const found = id === null ? null : (await ask(findCase, { id })).case
  if (found === null) throw new Error('There is no such case. It may have been deleted.')
  return found
}

/** A change of a case. */
export interface CaseEvent {
  readonly kind: string
  readonly version: number
  readonly at: string
  readonly byEmail: string | null
  readonly byUserId: string | null
  readonly function: string | null
  /** Left out if they are too large for an answer. */
  readonly changedFields?: Readonly<Record<string, readonly [unknown, unknown]>>
}

export interface EventPage {
  readonly nodes: readonly CaseEvent[]
  readonly pageInfo: PageInfo
}

export interface EventRequest {
  readonly id: string
  readonly before: string | null
  readonly last: number
  readonly withChanges: boolean
}

export const listEvents = operation<{ case: { readonly events: EventPage } | null }, EventRequest>(
  `query ListEventsOfCase($id: ID!, $before: String, $last: Int!, $withChanges: Boolean!) { case(id: $id) {
    events(last: $last, before: $before) {
      nodes { kind version at byEmail byUserId function changedFields @include(if: $withChanges) }
      pageInfo { hasPreviousPage startCursor }
    }
  } }`,
)

export interface CaseTask {
  readonly name: string
  readonly enabled: boolean
}

export const listTasks = operation<{ caseTasks: readonly CaseTask[] }, { caseTypeCode: string }>(
  `query ListCaseTasks($caseTypeCode: String) { caseTasks(caseTypeCode: $caseTypeCode) { name enabled } }`,
)

interface SaveInput {
  readonly id?: string
  readonly caseTypeCode?: string
  readonly data: unknown
  readonly ifVersions?: readonly number[]
}

// An answer has room for one of data and patch with certainty, and what a save did must be said.
export const saveCase = operation<
  { saveCase: { readonly saved: boolean; readonly case: FoundCase } },
  { input: SaveInput }
>(`mutation SaveCase($input: SaveCaseInput!) { saveCase(input: $input) { saved case { ${caseFields} } } }`)

export const createCase = operation<
  { saveCase: { readonly case: { readonly id: string } } },
  { input: SaveInput }
>(`mutation CreateCase($input: SaveCaseInput!) { saveCase(input: $input) { case { id } } }`)

export const trySave = operation<
  { saveCase: { readonly patch: unknown } },
  { input: SaveInput & { readonly dryRun: true } }
>(`mutation TrySaveCase($input: SaveCaseInput!) { saveCase(input: $input) { patch } }`)

interface TaskExecution {
  readonly id: string
  readonly outcome: string
  readonly message: string | null
  readonly error: { readonly code: string; readonly message: string } | null
}

export const runTask = operation<
  {
    runCaseTask: {
      readonly execution: TaskExecution
      /** Null if the task ended in another way than with a result. */
      readonly change: { readonly case: FoundCase } | null
    }
  },
  { caseId: string; name: string; params: unknown; ifVersions: readonly number[] }
>(
  `mutation RunTask($caseId: ID!, $name: String!, $params: JSON, $ifVersions: [Int!]) {
    runCaseTask(caseId: $caseId, name: $name, params: $params, ifVersions: $ifVersions) {
      execution { id outcome message error { code message } }
      change { case { ${caseFields} } }
    }
  }`,
)

/** Returns the error of a task that ended in another way than with a result. */
export function explainTask({ id, message, error }: TaskExecution): GatewayError {
  const code = error?.code ?? 'SCRIPT_FAILED'
  return new GatewayError(message ?? `${code}: ${error?.message}`, { code, status: 200, runId: id })
}

/** Throws the error of a save. If the case is gone, the error says what to do with its data. */
export function explainDeleted(error: unknown): never {
  if (!isCode(error, 'NOT_FOUND')) throw error
  throw new Error(
    'Nothing was saved: this case was deleted meanwhile. To keep the data, copy them into a new case.',
  )
}
