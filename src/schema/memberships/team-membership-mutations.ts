import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { TeamMembership } from '../refs.ts'
import { readMove, readPair } from './read-move.ts'

export const AddTeamMembershipInput = builder.inputType('AddTeamMembershipInput', {
  description: 'A user and the team to join. Users and teams that do not exist yet are created.',
  fields: t => ({
    userId: t.id({ required: true, description: 'Id of the user.' }),
    teamId: t.id({ required: true, description: 'Id of the team.' }),
  }),
})

const MoveTeamMembershipInput = builder.inputType('MoveTeamMembershipInput', {
  description:
    'The new user, the new team, or both. A field that is left out keeps its value; null is refused.',
  fields: t => ({
    userId: t.id({ description: 'Id of the new user.' }),
    teamId: t.id({ description: 'Id of the new team.' }),
  }),
})

export const ifVersions =
  'If given, the membership must be at one of these versions. Otherwise: `PRECONDITION_FAILED`.'

builder.mutationFields(t => ({
  addTeamMembership: t.field({
    description: 'Adds a user to a team. `CONFLICT` if the user is already in it.',
    type: TeamMembership,
    nullable: true,
    scope: 'memberships:write',
    args: {
      input: t.arg({ type: AddTeamMembershipInput, required: true, description: 'The user and the team.' }),
    },
    resolve: (_root, { input }, { origin, services }) => services.memberships.add(origin, readPair(input)),
  }),
  moveTeamMembership: t.field({
    description:
      'Moves a membership to another user or team in one step. `CONFLICT` if that pair exists; `NOT_FOUND`.',
    type: TeamMembership,
    nullable: true,
    scope: 'memberships:write',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the membership. A move does not change it.' }),
      input: t.arg({
        type: MoveTeamMembershipInput,
        required: true,
        description: 'The new user, the new team, or both.',
      }),
      ifVersions: t.arg.intList({ description: ifVersions }),
    },
    resolve: (_root, { id, input, ifVersions }, { origin, services }) =>
      services.memberships.move(origin, parseId(id, 'membership id'), readMove(input), ifVersions ?? null),
  }),
  removeTeamMembership: t.field({
    description: 'Removes a user from a team and returns the membership as it was. `NOT_FOUND`.',
    type: TeamMembership,
    nullable: true,
    scope: 'memberships:write',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the membership.' }),
      ifVersions: t.arg.intList({ description: ifVersions }),
    },
    resolve: (_root, { id, ifVersions }, { origin, services }) =>
      services.memberships.remove(origin, parseId(id, 'membership id'), ifVersions ?? null),
  }),
}))
