import { operation } from '../gateway/operation.ts'

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
  { filter: { readonly caseTypeCode?: string }; before: string | null }
>(
  `query ListCases($filter: CaseFilter, $before: String) {
    cases(filter: $filter, last: 100, before: $before) {
      nodes { id caseTypeCode version updatedAt } pageInfo { hasPreviousPage startCursor }
    }
  }`,
)

export const listCaseTypes = operation<{ caseTypes: readonly { readonly code: string }[] }>(
  `query ListCaseTypes { caseTypes { code } }`,
)

/** A change of a case. */
export interface CaseEvent {
  readonly kind: string
  readonly version: number
  readonly at: string
  readonly byEmail: string | null
  readonly byUserId: string | null
  readonly function: string | null
  readonly changedFields: Readonly<Record<string, readonly [unknown, unknown]>>
}

export interface FoundCase extends CaseRow {
  readonly data: Readonly<Record<string, unknown>>
  readonly events: { readonly nodes: readonly CaseEvent[]; readonly pageInfo: PageInfo }
}

export const findCase = operation<{ case: FoundCase | null }, { id: string; before: string | null }>(
  `query FindCase($id: ID!, $before: String) { case(id: $id) {
    id caseTypeCode version updatedAt data
    events(last: 20, before: $before) {
      nodes { kind version at byEmail byUserId function changedFields }
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
  readonly dryRun?: boolean
  readonly ifVersions?: readonly number[]
}

/** What a save or a task did, or would do. */
export interface CaseChange {
  readonly saved: boolean
  readonly patch: unknown
  readonly case: { readonly id: string; readonly version: number } | null
}

export const saveCase = operation<{ saveCase: CaseChange }, { input: SaveInput }>(
  `mutation SaveCase($input: SaveCaseInput!) { saveCase(input: $input) { saved patch case { id version } } }`,
)

export const runTask = operation<
  {
    runCaseTask: {
      readonly execution: {
        readonly id: string
        readonly outcome: string
        readonly message: string | null
        readonly error: { readonly code: string; readonly message: string } | null
      }
      readonly change: CaseChange | null
    }
  },
  { caseId: string; name: string; params: unknown; ifVersions: readonly number[] }
>(
  `mutation RunTask($caseId: ID!, $name: String!, $params: JSON, $ifVersions: [Int!]) {
    runCaseTask(caseId: $caseId, name: $name, params: $params, ifVersions: $ifVersions) {
      execution { id outcome message error { code message } }
      change { saved patch case { id version } }
    }
  }`,
)
