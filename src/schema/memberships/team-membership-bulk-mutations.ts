import type { RequestContext } from '../../context.ts'
import { parseId } from '../../domain/id.ts'
import { type BulkItem, readItem } from '../../domain/memberships/memberships-bulk.ts'
import type { BulkMode } from '../../domain/store.ts'
import { builder } from '../builder.ts'
import { cost } from '../relay/field-cost.ts'
import { readMove } from './read-move.ts'
import { TeamMembershipBulkMode, TeamMembershipBulkResult } from './team-membership-bulk.ts'
import { AddTeamMembershipInput, ifVersions } from './team-membership-mutations.ts'

const MoveTeamMembershipItem = builder.inputType('MoveTeamMembershipItem', {
  description: 'A membership and what to change of it, at least one of the two. What is left out stays.',
  fields: t => ({
    id: t.id({ required: true, description: 'Id of the membership; it stays.' }),
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

// Besides what is selected of it, an item is read, decided and written.
const costOfItems = cost({ kind: 'listOf', argument: 'items', each: 40 })

const describeBulk = (what: string) =>
  `${what}, at most 1,000 at once and as if one after the other. Each item answers at its place, with the codes of the single mutation.`

const mode = {
  type: TeamMembershipBulkMode,
  required: true,
  defaultValue: 'atomic',
  description: 'Whether one item that cannot be done undoes all.',
} as const

builder.mutationFields(t => ({
  addTeamMemberships: t.field({
    description: describeBulk('Makes users join teams'),
    type: TeamMembershipBulkResult,
    nullable: true,
    scope: 'memberships:write',
    extensions: costOfItems,
    args: {
      items: t.arg({ type: [AddTeamMembershipInput], required: true, description: 'Who joins which team.' }),
      mode: t.arg(mode),
    },
    resolve: (_root, { items, mode }, context) => changeMany(context, { mode, items: items.map(readAdd) }),
  }),
  moveTeamMemberships: t.field({
    description: describeBulk('Reassigns memberships to other users or teams'),
    type: TeamMembershipBulkResult,
    nullable: true,
    scope: 'memberships:write',
    extensions: costOfItems,
    args: {
      items: t.arg({ type: [MoveTeamMembershipItem], required: true, description: 'What to move where.' }),
      mode: t.arg(mode),
    },
    resolve: (_root, { items, mode }, context) =>
      changeMany(context, { mode, items: items.map(readMoveItem) }),
  }),
  removeTeamMemberships: t.field({
    description: describeBulk('Makes users leave teams'),
    type: TeamMembershipBulkResult,
    nullable: true,
    scope: 'memberships:write',
    extensions: costOfItems,
    args: {
      items: t.arg({ type: [RemoveTeamMembershipItem], required: true, description: 'What to remove.' }),
      mode: t.arg(mode),
    },
    resolve: (_root, { items, mode }, context) =>
      changeMany(context, { mode, items: items.map(readRemoval) }),
  }),
}))

interface Bulk {
  readonly mode: BulkMode
  readonly items: readonly BulkItem[]
}

async function changeMany({ origin, memberships, loaders }: RequestContext, { mode, items }: Bulk) {
  const answer = await memberships.changeMany(origin, items, mode)
  loaders.clear()
  return answer
}

function readAdd({ userId, teamId }: typeof AddTeamMembershipInput.$inferInput): BulkItem {
  return readItem(() => ({
    kind: 'add',
    pair: { userId: parseId(userId, 'user id'), teamId: parseId(teamId, 'team id') },
  }))
}

function readMoveItem({ id, ifVersions, ...change }: typeof MoveTeamMembershipItem.$inferInput): BulkItem {
  return readItem(() => ({
    kind: 'move',
    id: parseId(id, 'membership id'),
    change: readMove(change),
    ifVersions: ifVersions ?? null,
  }))
}

function readRemoval({ id, ifVersions }: typeof RemoveTeamMembershipItem.$inferInput): BulkItem {
  return readItem(() => ({
    kind: 'remove',
    id: parseId(id, 'membership id'),
    ifVersions: ifVersions ?? null,
  }))
}
