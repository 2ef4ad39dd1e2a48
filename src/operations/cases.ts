import { execution } from './executions.ts'
import { mutation, query, record } from './operation.ts'

/** The record of a case. */
export const caseShape = record('case', {
  id: 'id',
  case_type_code: 'value',
  data: 'value',
  version: 'value',
  created_at: 'time',
  updated_at: 'time',
})

const deletion = { field: 'deleteCase', variables: { id: 'ID!', ifVersions: '[Int!]' } } as const

/** Cases (contract, section 7). */
export const cases = {
  get: query({ field: 'case', variables: { id: 'ID!' }, answer: caseShape }),
  list: query({ field: 'casesByIds', variables: { ids: '[ID!]!' }, answer: caseShape }),
  find: query({
    field: 'cases',
    variables: { filter: 'CaseFilter', first: 'Int', after: 'String' },
    answer: { ...caseShape, selection: `nodes { ${caseShape.selection} } pageInfo { endCursor }` },
  }),
  save: mutation({
    field: 'saveCase',
    variables: { input: 'SaveCaseInput!' },
    answer: caseShape,
    within: 'case',
  }),
  delete: mutation({ ...deletion, answer: caseShape }),
  /** The deletion without the data of the case, for scripts. */
  deleteUnread: mutation({ ...deletion, answer: record('case', { id: 'id' }) }),
}

/** Runs a task on a case, and answers the execution alone. */
export const runCaseTask = mutation({
  field: 'runCaseTask',
  variables: { caseId: 'ID!', name: 'String!', params: 'JSON' },
  answer: execution,
  within: 'execution',
})

/** Runs a task on a case, and answers what it changed too (contract, section 7). */
export const changeByCaseTask = mutation({
  field: 'runCaseTask',
  variables: {
    caseId: 'ID!',
    name: 'String!',
    params: 'JSON',
    ifVersions: '[Int!]',
    dryRun: 'Boolean! = false',
  },
  answer: {
    ...execution,
    selection: `execution { ${execution.selection} } change { case { ${caseShape.selection} } patch }`,
  },
})
