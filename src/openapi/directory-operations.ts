import { json } from './answers.ts'
import { examples } from './examples.ts'
import {
  created,
  type DocumentedOperation,
  gone,
  id,
  idempotencyKey,
  ids,
  ifMatch,
  jsonBody,
  links,
  reads,
  writes,
  written,
} from './operation-parts.ts'

const membershipPath = '/platform/team_memberships'
export const memberships: readonly DocumentedOperation[] = [
  {
    ...{ method: 'get', path: membershipPath, id: 'listTeamMemberships', tag: 'Memberships' },
    ...{
      summary: 'Lists the memberships with these ids that exist, in this order',
      scope: 'memberships:read',
    },
    parameters: [ids],
    answers: { 200: json('The memberships.', 'TeamMembershipList', examples.memberships), ...reads() },
  },
  {
    ...{ method: 'get', path: `${membershipPath}/{id}`, id: 'getTeamMembership', tag: 'Memberships' },
    ...{ summary: 'Reads a membership', scope: 'memberships:read', parameters: [id] },
    answers: {
      200: json('The membership.', 'TeamMembershipBody', examples.membership, ['ETag']),
      ...reads(404),
    },
  },
  {
    ...{ method: 'post', path: membershipPath, id: 'createTeamMembership', tag: 'Memberships' },
    ...{ summary: 'Adds a user to a team', scope: 'memberships:write', parameters: [idempotencyKey] },
    body: jsonBody('NewTeamMembership', examples.newMembership),
    answers: {
      201: {
        ...json('The new membership.', 'TeamMembershipBody', examples.membership, created),
        ...links('team_membership', ['getTeamMembership', 'updateTeamMembership', 'deleteTeamMembership']),
      },
      ...writes(),
    },
  },
  {
    ...{ method: 'put', path: `${membershipPath}/{id}`, id: 'updateTeamMembership', tag: 'Memberships' },
    ...{ summary: 'Moves a membership to another user or team', scope: 'memberships:write' },
    parameters: [id, ifMatch, idempotencyKey],
    body: jsonBody('MovedTeamMembership', examples.movedMembership),
    answers: {
      200: json('The membership.', 'TeamMembershipBody', examples.membership, written),
      ...writes(404, 412),
    },
  },
  {
    ...{ method: 'delete', path: `${membershipPath}/{id}`, id: 'deleteTeamMembership', tag: 'Memberships' },
    ...{ summary: 'Removes a user from a team', scope: 'memberships:write' },
    parameters: [id, ifMatch, idempotencyKey],
    answers: { ...gone, ...writes(404, 412) },
  },
]

export const directory: readonly DocumentedOperation[] = [
  {
    ...{ method: 'get', path: '/platform/users/{id}', id: 'getUser', tag: 'Users and teams' },
    ...{ summary: 'Reads a user', scope: 'memberships:read', parameters: [id] },
    answers: { 200: json('The user.', 'UserBody', examples.user), ...reads(404) },
  },
  {
    ...{ method: 'put', path: '/platform/users/{id}', id: 'saveUser', tag: 'Users and teams' },
    ...{ summary: 'Saves details of a user, who is made if there is none', scope: 'memberships:write' },
    parameters: [id, idempotencyKey],
    body: jsonBody('SavedUser', examples.savedUser),
    answers: { 200: json('The user.', 'UserBody', examples.user, ['Idempotency-Replayed']), ...writes() },
  },
  {
    ...{ method: 'get', path: '/platform/teams/{id}', id: 'getTeam', tag: 'Users and teams' },
    ...{ summary: 'Reads a team', scope: 'memberships:read', parameters: [id] },
    answers: { 200: json('The team.', 'TeamBody', examples.team), ...reads(404) },
  },
  {
    ...{ method: 'put', path: '/platform/teams/{id}', id: 'saveTeam', tag: 'Users and teams' },
    ...{ summary: 'Saves the name of a team, which is made if there is none', scope: 'memberships:write' },
    parameters: [id, idempotencyKey],
    body: jsonBody('SavedTeam', examples.savedTeam),
    answers: { 200: json('The team.', 'TeamBody', examples.team, ['Idempotency-Replayed']), ...writes() },
  },
]
