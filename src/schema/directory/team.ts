import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { resolveMemberships } from '../memberships/resolve-memberships.ts'
import { TeamMembershipConnection, TeamMembershipEdge } from '../memberships/team-membership-connection.ts'
import { Team, TeamMembership } from '../refs.ts'
import { costOfText } from '../relay/field-cost.ts'
import { costOfPage, pageSize } from '../relay/page-size.ts'

Team.implement({
  description: 'A team of the account, known since the first membership that named it.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The decimal integer of the REST side.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Null until saved.',
      extensions: costOfText,
    }),
    memberships: t.connection(
      {
        description: `Who is in the team: ${pageSize.byDefault} a page unless told, at most ${pageSize.most}.`,
        type: TeamMembership,
        // So that a bad cursor costs the page and not what stands beside it.
        nullable: true,
        scope: 'memberships:read',
        extensions: costOfPage,
        resolve: (team, page, { loaders }) =>
          resolveMemberships(page, rows => loaders.membershipsOfTeam(team.id, rows)),
      },
      TeamMembershipConnection,
      TeamMembershipEdge,
    ),
  }),
})

builder.queryField('team', t =>
  t.field({
    description: 'The team with that id; null if the account knows none.',
    type: Team,
    nullable: true,
    scope: 'memberships:read',
    args: { id: t.arg.id({ required: true, description: 'Id of the team.' }) },
    resolve: (_root, { id }, { loaders }) => loaders.team.load(parseId(id, 'team id')),
  }),
)

const SaveTeamInput = builder.inputType('SaveTeamInput', {
  description: 'Details of a team. What is left out stays as it is; null clears it.',
  fields: t => ({
    id: t.id({ required: true, description: 'Id of the team.' }),
    name: t.string({ description: 'Name to show.' }),
  }),
})

builder.mutationField('saveTeam', t =>
  t.field({
    description: 'Saves details of a team; makes the record where there is none.',
    type: Team,
    scope: 'memberships:write',
    args: { input: t.arg({ type: SaveTeamInput, required: true, description: 'The team and its details.' }) },
    resolve: async (_root, { input }, { caller, directory, loaders }) => {
      const id = parseId(input.id, 'team id')
      const details = input.name === undefined ? {} : { name: input.name }
      const team = await directory.saveTeam(caller.accountCode, id, details)
      loaders.clear()
      return team
    },
  }),
)
