import { mutation, query, record } from './operation.ts'

const membership = record(
  'team_membership',
  { id: 'id', user_id: 'id', team_id: 'id', leader: 'value' },
  'version',
)

/** Team memberships (contract, section 2). */
export const teamMemberships = {
  get: query({ field: 'teamMembership', variables: { id: 'ID!' }, answer: membership }),
  list: query({ field: 'teamMemberships', variables: { ids: '[ID!]!' }, answer: membership }),
  add: mutation({
    field: 'addTeamMembership',
    variables: { input: 'AddTeamMembershipInput!' },
    answer: membership,
  }),
  move: mutation({
    field: 'moveTeamMembership',
    variables: { id: 'ID!', input: 'MoveTeamMembershipInput!', ifVersions: '[Int!]' },
    answer: membership,
  }),
  remove: mutation({
    field: 'removeTeamMembership',
    variables: { id: 'ID!', ifVersions: '[Int!]' },
    answer: membership,
  }),
}

const user = record('user', { id: 'id', email: 'value', display_name: 'value' })
const team = record('team', { id: 'id', name: 'value' })

export const users = {
  get: query({ field: 'user', variables: { id: 'ID!' }, answer: user }),
  save: mutation({ field: 'saveUser', variables: { input: 'SaveUserInput!' }, answer: user }),
}

export const teams = {
  get: query({ field: 'team', variables: { id: 'ID!' }, answer: team }),
  save: mutation({ field: 'saveTeam', variables: { input: 'SaveTeamInput!' }, answer: team }),
}
