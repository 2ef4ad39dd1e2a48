import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { TeamMembership } from '../refs.ts'
import { readMove } from './read-move.ts'

export const AddTeamMembershipInput = builder.inputType('AddTeamMembershipInput', {
  description: 'Who joins which team. Both are made known where they are not.',
  fields: t => ({
    userId: t.id({ required: true, description: 'Id of the user.' }),
    teamId: t.id({ required: true, description: 'Id of the team.' }),
  }),
})

const MoveTeamMembershipInput = builder.inputType('MoveTeamMembershipInput', {
  description: 'What to change, at least one of the two. What is left out stays; neither can be null.',
  fields: t => ({
    userId: t.id({ description: 'Id of the new user.' }),
    teamId: t.id({ description: 'Id of the new team.' }),
  }),
})

export const ifVersions =
  'If given, the membership must have one of these versions, else `PRECONDITION_FAILED`.'

builder.mutationFields(t => ({
  addTeamMembership: t.field({
    description: 'Makes the user join the team. `CONFLICT` where it is in it.',
    type: TeamMembership,
    nullable: true,
    scope: 'memberships:write',
    args: {
      input: t.arg({ type: AddTeamMembershipInput, required: true, description: 'The user and the team.' }),
    },
    resolve: async (_root, { input }, { origin, memberships, loaders }) => {
      const added = await memberships.add(origin, {
        userId: parseId(input.userId, 'user id'),
        teamId: parseId(input.teamId, 'team id'),
      })
      loaders.clear()
      return added
    },
  }),
  moveTeamMembership: t.field({
    description:
      'Reassigns the membership to another user or team, in one step. `NOT_FOUND`, or `CONFLICT` where that pair exists.',
    type: TeamMembership,
    nullable: true,
    scope: 'memberships:write',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the membership; it stays.' }),
      input: t.arg({ type: MoveTeamMembershipInput, required: true, description: 'What to change.' }),
      ifVersions: t.arg.intList({ description: ifVersions }),
    },
    resolve: async (_root, { id, input, ifVersions }, { origin, memberships, loaders }) => {
      const moved = await memberships.move(
        origin,
        parseId(id, 'membership id'),
        readMove(input),
        ifVersions ?? null,
      )
      loaders.clear()
      return moved
    },
  }),
  removeTeamMembership: t.field({
    description: 'Makes the user leave the team. Answers the membership as it was; `NOT_FOUND`.',
    type: TeamMembership,
    nullable: true,
    scope: 'memberships:write',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the membership.' }),
      ifVersions: t.arg.intList({ description: ifVersions }),
    },
    resolve: async (_root, { id, ifVersions }, { origin, memberships, loaders }) => {
      const removed = await memberships.remove(origin, parseId(id, 'membership id'), ifVersions ?? null)
      loaders.clear()
      return removed
    },
  }),
}))
