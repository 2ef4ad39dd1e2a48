import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { TeamMembershipConnection, TeamMembershipEdge } from '../memberships/team-membership-connection.ts'
import { Team, TeamMembership } from '../refs.ts'
import { membershipCursors } from '../relay/cursor.ts'
import { costOfText } from '../relay/field-cost.ts'
import { costOfPage } from '../relay/page-size.ts'
import { idOf, resolvePage } from '../relay/resolve-page.ts'

Team.implement({
  description: 'A team of the account. It exists from the first membership that names it.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The integer id of the REST side, as text.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: 'Display name; null until saved.',
      extensions: costOfText,
    }),
    memberships: t.connection(
      {
        description: 'Memberships of the team.',
        type: TeamMembership,
        // Nullable, so that a bad cursor fails the page and not its parent.
        nullable: true,
        scope: 'memberships:read',
        extensions: costOfPage,
        resolve: (team, page, { loaders }) =>
          resolvePage(page, {
            cursors: membershipCursors,
            positionOf: idOf,
            read: rows => loaders.membershipsOfTeam(team.id, rows),
          }),
      },
      TeamMembershipConnection,
      TeamMembershipEdge,
    ),
  }),
})

builder.queryField('team', t =>
  t.field({
    description: 'The team with this id; null if the account has none.',
    type: Team,
    nullable: true,
    scope: 'memberships:read',
    args: { id: t.arg.id({ required: true, description: 'Id of the team.' }) },
    resolve: (_root, { id }, { loaders }) => loaders.team.load(parseId(id, 'team id')),
  }),
)

const SaveTeamInput = builder.inputType('SaveTeamInput', {
  description: 'Details of a team. A field that is left out keeps its value; null clears it.',
  fields: t => ({
    id: t.id({ required: true, description: 'Id of the team.' }),
    name: t.string({ description: 'Display name.' }),
  }),
})

builder.mutationField('saveTeam', t =>
  t.field({
    description: 'Saves details of a team. Creates the team if it does not exist.',
    type: Team,
    nullable: true,
    scope: 'memberships:write',
    args: { input: t.arg({ type: SaveTeamInput, required: true, description: 'The team and its details.' }) },
    resolve: (_root, { input }, context) => {
      const id = parseId(input.id, 'team id')
      const details = input.name === undefined ? {} : { name: input.name }
      return context.services.directory.saveTeam(context.plainOrigin, id, details)
    },
  }),
)
