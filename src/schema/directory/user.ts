import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { TeamMembershipConnection, TeamMembershipEdge } from '../memberships/team-membership-connection.ts'
import { TeamMembership, User } from '../refs.ts'
import { membershipCursors } from '../relay/cursor.ts'
import { costOfText } from '../relay/field-cost.ts'
import { costOfPage } from '../relay/page-size.ts'
import { idOf, resolvePage } from '../relay/resolve-page.ts'

User.implement({
  description: 'A user of the account. It exists from the first membership that names it.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The integer id of the REST side, as text.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'E-mail address; null until saved.',
      extensions: costOfText,
    }),
    displayName: t.exposeString('displayName', {
      nullable: true,
      description: 'Display name; null until saved.',
      extensions: costOfText,
    }),
    memberships: t.connection(
      {
        description: 'Memberships of the user.',
        type: TeamMembership,
        // Nullable, so that a bad cursor fails the page and not its parent.
        nullable: true,
        scope: 'memberships:read',
        extensions: costOfPage,
        resolve: (user, page, { loaders }) =>
          resolvePage(page, {
            cursors: membershipCursors,
            positionOf: idOf,
            read: rows => loaders.membershipsOfUser(user.id, rows),
          }),
      },
      TeamMembershipConnection,
      TeamMembershipEdge,
    ),
  }),
})

builder.queryField('user', t =>
  t.field({
    description: 'The user with this id; null if the account has none.',
    type: User,
    nullable: true,
    scope: 'memberships:read',
    args: { id: t.arg.id({ required: true, description: 'Id of the user.' }) },
    resolve: (_root, { id }, { loaders }) => loaders.user.load(parseId(id, 'user id')),
  }),
)

const SaveUserInput = builder.inputType('SaveUserInput', {
  description: 'Details of a user. A field that is left out keeps its value; null clears it.',
  fields: t => ({
    id: t.id({ required: true, description: 'Id of the user.' }),
    email: t.string({ description: 'E-mail address.' }),
    displayName: t.string({ description: 'Display name.' }),
  }),
})

builder.mutationField('saveUser', t =>
  t.field({
    description: 'Saves details of a user. Creates the user if it does not exist.',
    type: User,
    nullable: true,
    scope: 'memberships:write',
    args: { input: t.arg({ type: SaveUserInput, required: true, description: 'The user and its details.' }) },
    resolve: (_root, { input }, context) => {
      const id = parseId(input.id, 'user id')
      return context.services.directory.saveUser(context.plainOrigin, id, {
        ...(input.email === undefined ? {} : { email: input.email }),
        ...(input.displayName === undefined ? {} : { displayName: input.displayName }),
      })
    },
  }),
)
