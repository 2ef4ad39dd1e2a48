import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { resolveMemberships } from '../memberships/resolve-memberships.ts'
import { TeamMembershipConnection, TeamMembershipEdge } from '../memberships/team-membership-connection.ts'
import { TeamMembership, User } from '../refs.ts'
import { costOfText } from '../relay/field-cost.ts'
import { costOfPage, pageSize } from '../relay/page-size.ts'

User.implement({
  description: 'A user of the account, known since the first membership that named it.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The decimal integer of the REST side.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'Null until saved.',
      extensions: costOfText,
    }),
    displayName: t.exposeString('displayName', {
      nullable: true,
      description: 'Null until saved.',
      extensions: costOfText,
    }),
    memberships: t.connection(
      {
        description: `The teams the user is in: ${pageSize.byDefault} a page unless told, at most ${pageSize.most}.`,
        type: TeamMembership,
        // So that a bad cursor costs the page and not what stands beside it.
        nullable: true,
        scope: 'memberships:read',
        extensions: costOfPage,
        resolve: (user, page, { loaders }) =>
          resolveMemberships(page, rows => loaders.membershipsOfUser(user.id, rows)),
      },
      TeamMembershipConnection,
      TeamMembershipEdge,
    ),
  }),
})

builder.queryField('user', t =>
  t.field({
    description: 'The user with that id; null if the account knows none.',
    type: User,
    nullable: true,
    scope: 'memberships:read',
    args: { id: t.arg.id({ required: true, description: 'Id of the user.' }) },
    resolve: (_root, { id }, { loaders }) => loaders.user.load(parseId(id, 'user id')),
  }),
)

const SaveUserInput = builder.inputType('SaveUserInput', {
  description: 'Details of a user. What is left out stays as it is; null clears it.',
  fields: t => ({
    id: t.id({ required: true, description: 'Id of the user.' }),
    email: t.string({ description: 'E-mail address.' }),
    displayName: t.string({ description: 'Name to show.' }),
  }),
})

builder.mutationField('saveUser', t =>
  t.field({
    description: 'Saves details of a user; makes the record where there is none.',
    type: User,
    scope: 'memberships:write',
    args: { input: t.arg({ type: SaveUserInput, required: true, description: 'The user and its details.' }) },
    resolve: async (_root, { input }, { caller, directory, loaders }) => {
      const id = parseId(input.id, 'user id')
      const user = await directory.saveUser(caller.accountCode, id, {
        ...(input.email === undefined ? {} : { email: input.email }),
        ...(input.displayName === undefined ? {} : { displayName: input.displayName }),
      })
      loaders.clear()
      return user
    },
  }),
)
