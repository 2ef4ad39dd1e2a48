import { parseId } from '../../domain/id.ts'
import { readItem } from '../../domain/memberships/memberships-bulk.ts'
import { builder } from '../builder.ts'
import { cost } from '../relay/field-cost.ts'
import { readMove, readPair } from './read-move.ts'
import { TeamMembershipBulkMode, TeamMembershipBulkResult } from './team-membership-bulk.ts'
import { AddTeamMembershipInput, ifVersions } from './team-membership-mutations.ts'

const MoveTeamMembershipItem = builder.inputType('MoveTeamMembershipItem', {
  description: 'A membership and its new user, new team, or both. A field that is left out keeps its value.',
  fields: t => ({
    id: t.id({ required: true, description: 'Id of the membership. A move does not change it.' }),
    userId: t.id({ description: 'Id of the new user.' }),
    teamId: t.id({ description: 'Id of the new team.' }),
    ifVersions: t.intList({ description: ifVersions }),
  }),
})

const RemoveTeamMembershipItem = builder.inputType('RemoveTeamMembershipItem', {
  description: 'A membership to remove.',
  fields: t => ({
    id: t.id({ required: true, description: 'Id of the membership.' }),
    ifVersions: t.intList({ description: ifVersions }),
  }),
})

const describeBulk = (what: string) => `${what} in one transaction: up to 1,000 items, one after the other.`

const mode = {
  type: TeamMembershipBulkMode,
  required: true,
  defaultValue: 'atomic',
  description: 'What one failing item means for the others.',
} as const

const bulkField = {
  type: TeamMembershipBulkResult,
  nullable: true,
  scope: 'memberships:write',
  // On top of the fields selected, each item is read, decided and written.
  extensions: cost({ kind: 'listOf', argument: 'items', each: 40 }),
} as const

builder.mutationFields(t => ({
  addTeamMemberships: t.field({
    ...bulkField,
    description: describeBulk('Adds users to teams'),
    args: {
      items: t.arg({
        type: [AddTeamMembershipInput],
        required: true,
        description: 'The users and the teams to join.',
      }),
      mode: t.arg(mode),
    },
    resolve: (_root, { items, mode }, context) =>
      context.services.memberships.addMany(context.origin, items.map(readAdd), mode),
  }),
  moveTeamMemberships: t.field({
    ...bulkField,
    description: describeBulk('Moves memberships to other users or teams'),
    args: {
      items: t.arg({
        type: [MoveTeamMembershipItem],
        required: true,
        description: 'The memberships with their new users or teams.',
      }),
      mode: t.arg(mode),
    },
    resolve: (_root, { items, mode }, context) =>
      context.services.memberships.moveMany(context.origin, items.map(readMoveItem), mode),
  }),
  removeTeamMemberships: t.field({
    ...bulkField,
    description: describeBulk('Removes users from teams'),
    args: {
      items: t.arg({
        type: [RemoveTeamMembershipItem],
        required: true,
        description: 'The memberships to remove.',
      }),
      mode: t.arg(mode),
    },
    resolve: (_root, { items, mode }, context) =>
      context.services.memberships.removeMany(context.origin, items.map(readRemoval), mode),
  }),
}))

function readAdd(input: typeof AddTeamMembershipInput.$inferInput) {
  return readItem(() => readPair(input))
}

function readMoveItem({ id, ifVersions, ...change }: typeof MoveTeamMembershipItem.$inferInput) {
  return readItem(() => ({
    id: parseId(id, 'membership id'),
    change: readMove(change),
    ifVersions: ifVersions ?? null,
  }))
}

function readRemoval({ id, ifVersions }: typeof RemoveTeamMembershipItem.$inferInput) {
  return readItem(() => ({
    id: parseId(id, 'membership id'),
    ifVersions: ifVersions ?? null,
  }))
}
