import {
  member,
  type Operation,
  operation,
  type PlatformMethod,
  record,
  toPlatformMethod,
} from './operation.ts'

const shape = record('case', {
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
  answer: shape,
  within: 'case',
} as const

/** Cases over REST (contract, section 7). */
export const cases: readonly Operation[] = [
  operation('GET /platform/cases/:id', {
    platform: 'cases.get',
    field: 'case',
    variables: { id: 'ID!' },
    answer: shape,
  }),
  operation('GET /platform/cases', {
    platform: 'cases.list',
    field: 'casesByIds',
    variables: { ids: '[ID!]!' },
    answer: shape,
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
    answer: shape,
  }),
]

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
      answer: { ...shape, selection: `nodes { ${shape.selection} } pageInfo { endCursor }` },
    }),
    'page',
  ],
] as const

/** The methods of `Platform.cases` beside those of the REST side. */
export const caseMethods: readonly PlatformMethod[] = onlyOfScripts.flatMap(
  ([row, answers]) => toPlatformMethod(row, answers) ?? [],
)
