import { parseId, parseIds } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { Team, TeamMembership, User } from '../refs.ts'
import { cost, costOfRecord } from '../relay/field-cost.ts'

TeamMembership.implement({
  description: 'Links one user to one team.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The integer id of the REST side, as text.' }),
    userId: t.exposeID('userId', { description: 'Id of the user.' }),
    teamId: t.exposeID('teamId', { description: 'Id of the team.' }),
    leader: t.exposeBoolean('leader', { nullable: true, description: 'Null on creation.' }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. The REST side sends it as the ETag.',
    }),
    user: t.field({
      description: 'The user.',
      type: User,
      nullable: true,
      scope: 'memberships:read',
      extensions: costOfRecord,
      resolve: ({ userId }, _args, { loaders }) => found(loaders.user.load(userId)),
    }),
    team: t.field({
      description: 'The team.',
      type: Team,
      nullable: true,
      scope: 'memberships:read',
      extensions: costOfRecord,
      resolve: ({ teamId }, _args, { loaders }) => found(loaders.team.load(teamId)),
    }),
  }),
})

builder.queryFields(t => ({
  teamMembership: t.field({
    description: 'The membership with this id; null if the account has none.',
    type: TeamMembership,
    nullable: true,
    scope: 'memberships:read',
    args: { id: t.arg.id({ required: true, description: 'Id of the membership.' }) },
    resolve: (_root, { id }, { loaders }) => loaders.membership.load(parseId(id, 'membership id')),
  }),
  teamMemberships: t.field({
    description:
      'The memberships with these ids, in the order given, each once. Ids that do not exist are left out.',
    type: [TeamMembership],
    scope: 'memberships:read',
    extensions: cost({ kind: 'listOf', argument: 'ids' }),
    args: { ids: t.arg.idList({ required: true, description: 'Ids of the memberships, at most 1,000.' }) },
    resolve: (_root, { ids }, { caller, services }) =>
      services.memberships.list(caller.accountCode, parseIds(ids, 'membership id')),
  }),
}))

// The store creates both records before the membership and never removes them.
function found<Row extends object>(row: Row | null | Promise<Row | null>): Row | Promise<Row> {
  if (row instanceof Promise) return row.then(found<Row>)
  if (row === null) throw new Error('A user or team named by a membership is missing.')
  return row
}
