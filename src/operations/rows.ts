import { caseMethods, cases } from './case-rows.ts'
import { execution } from './execution.ts'
import {
  fieldOf,
  type Label,
  member,
  type Operation,
  operation,
  type PlatformMethod,
  record,
  toPlatformMethod,
} from './operation.ts'

const membership = record(
  'team_membership',
  { id: 'id', user_id: 'id', team_id: 'id', leader: 'value' },
  'version',
)

const memberships: readonly Operation[] = [
  operation('GET /platform/team_memberships/:id', {
    platform: 'teamMemberships.get',
    field: 'teamMembership',
    variables: { id: 'ID!' },
    answer: membership,
  }),
  operation('GET /platform/team_memberships', {
    platform: 'teamMemberships.list',
    field: 'teamMemberships',
    variables: { ids: '[ID!]!' },
    answer: membership,
    isList: true,
  }),
  operation('POST /platform/team_memberships', {
    platform: 'teamMemberships.add',
    field: 'addTeamMembership',
    variables: { input: 'AddTeamMembershipInput!' },
    input: [member('user_id', 'id'), member('team_id', 'id')],
    answer: membership,
  }),
  operation('PUT /platform/team_memberships/:id', {
    platform: 'teamMemberships.move',
    field: 'moveTeamMembership',
    variables: { id: 'ID!', input: 'MoveTeamMembershipInput!', ifVersions: '[Int!]' },
    input: [member('user_id', 'id?'), member('team_id', 'id?')],
    needsOneOf: '`user_id`, `team_id` or both',
    answer: membership,
  }),
  operation('DELETE /platform/team_memberships/:id', {
    platform: 'teamMemberships.remove',
    field: 'removeTeamMembership',
    variables: { id: 'ID!', ifVersions: '[Int!]' },
    answer: membership,
  }),
]

const user = record('user', { id: 'id', email: 'value', display_name: 'value' })
const team = record('team', { id: 'id', name: 'value' })

const directory: readonly Operation[] = [
  operation('GET /platform/users/:id', {
    platform: 'users.get',
    field: 'user',
    variables: { id: 'ID!' },
    answer: user,
  }),
  operation('PUT /platform/users/:id', {
    field: 'saveUser',
    variables: { input: 'SaveUserInput!' },
    input: [member('id', 'path'), member('email', 'text?'), member('display_name', 'text?')],
    answer: user,
  }),
  operation('GET /platform/teams/:id', {
    platform: 'teams.get',
    field: 'team',
    variables: { id: 'ID!' },
    answer: team,
  }),
  operation('PUT /platform/teams/:id', {
    field: 'saveTeam',
    variables: { input: 'SaveTeamInput!' },
    input: [member('id', 'path'), member('name', 'text?')],
    answer: team,
  }),
]

/** The labels of a task, which are the members of its `metadata`. */
export const taskLabels: readonly Label[] = ['case_type_code', 'account_nickname'].map(name => ({
  name,
  field: fieldOf(name),
}))

/** The execution endpoint (contract, section 4). */
export const executeTask: Operation = operation('POST /api/1/endpoint/execute', {
  platform: 'tasks.execute',
  field: 'executeTask',
  variables: { input: 'ExecuteTaskInput!' },
  input: [
    member('name', 'value'),
    member('sourceCode', 'value'),
    member('inputDocument', 'document'),
    member('options', 'document?', { byDefault: '{}' }),
    member('metadata', 'labels?', { labels: taskLabels }),
  ],
  answer: execution,
})

/** Runs a stored function by its name (contract, section 7). */
export const runFunction: Operation = operation('POST /api/1/function/:name/execute', {
  platform: 'functions.run',
  field: 'runFunction',
  variables: { input: 'RunFunctionInput!' },
  input: [
    member('name', 'value'),
    member('payload', 'value', { field: 'inputDocument' }),
    member('params', 'params?', { field: 'options' }),
    member('case_type_code', 'value?'),
    member('version', 'value?'),
  ],
  positional: ['name', 'payload'],
  answer: execution,
})

/**
 * The operations on records (contract, sections 1 and 2). Each is a REST path, and most are methods of `Platform`.
 */
export const recordOperations: readonly Operation[] = [...memberships, ...directory, ...cases]

/** The methods of a script's `Platform`, for the sandboxes. */
export const platformMethods: readonly PlatformMethod[] = [
  ...[...recordOperations, executeTask, runFunction].flatMap(operation => toPlatformMethod(operation) ?? []),
  ...caseMethods,
]
