import { execution } from './execution.ts'
import {
  member,
  type Operation,
  operation,
  type PlatformMethod,
  record,
  toPlatformMethod,
} from './operation.ts'

/** The record of a case. */
export const caseShape = record('case', {
  id: 'id',
  case_type_code: 'value',
  data: 'value',
  version: 'value',
  created_at: 'value',
  updated_at: 'value',
})

const id = member('id', 'path')
const data = member('data', 'json')
const ifMatch = member('if_match', 'ifMatch', { field: 'ifVersions' })
const merge = { byDefault: 'MERGE', field: 'mode' }

const save = {
  field: 'saveCase',
  variables: { input: 'SaveCaseInput!' },
  answer: caseShape,
  within: 'case',
} as const

/** Cases over REST (contract, section 7). */
export const cases: readonly Operation[] = [
  operation('GET /platform/cases/:id', {
    platform: 'cases.get',
    field: 'case',
    variables: { id: 'ID!' },
    answer: caseShape,
  }),
  operation('GET /platform/cases', {
    platform: 'cases.list',
    field: 'casesByIds',
    variables: { ids: '[ID!]!' },
    answer: caseShape,
    isList: true,
  }),
  operation('POST /platform/cases', { ...save, input: [member('case_type_code', 'text'), data] }),
  operation('PUT /platform/cases/:id', { ...save, input: [id, ifMatch, data] }),
  operation('PATCH /platform/cases/:id', {
    ...save,
    input: [id, ifMatch, member('mode', 'constant', merge), data],
  }),
  operation('DELETE /platform/cases/:id', {
    field: 'deleteCase',
    variables: { id: 'ID!', ifVersions: '[Int!]' },
    answer: caseShape,
  }),
]

const ofTask = { field: 'runCaseTask', answer: execution } as const

/** Runs a task on a case (contract, section 7). */
export const runCaseTask: Operation = operation('POST /api/1/case/:id/task/:name', {
  ...ofTask,
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

const saveMembers = [
  member('id', 'value?'),
  member('case_type_code', 'value?'),
  member('data', 'value'),
  member('merge', 'constant?', merge),
  member('if_version', 'version?', { field: 'ifVersions' }),
]

// Methods whose arguments differ from the REST side's.
const onlyOfScripts = [
  [operation('POST /', { ...save, platform: 'cases.save', input: saveMembers }), 'record'],
  [
    operation('DELETE /', {
      platform: 'cases.delete',
      field: 'deleteCase',
      variables: { id: 'ID!', ifVersions: '[Int!]' },
      answer: record('case', { id: 'id' }),
    }),
    'nothing',
  ],
  [
    operation('GET /', {
      platform: 'cases.find',
      field: 'cases',
      variables: { filter: 'CaseFilter', first: 'Int', after: 'String' },
      input: [member('case_type_code', 'value?'), member('where', 'value?')],
      answer: { ...caseShape, selection: `nodes { ${caseShape.selection} } pageInfo { endCursor }` },
    }),
    'page',
  ],
  [
    operation('POST /', {
      ...ofTask,
      platform: 'cases.runTask',
      variables: { caseId: 'ID!', name: 'String!', params: 'JSON' },
      within: 'execution',
    }),
    'record',
  ],
] as const

/** The methods of `Platform.cases` beside those of the REST side. */
export const caseMethods: readonly PlatformMethod[] = onlyOfScripts.flatMap(
  ([row, answers]) => toPlatformMethod(row, answers) ?? [],
)
