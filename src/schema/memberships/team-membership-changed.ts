import { builder } from '../builder.ts'
import { eventCursors } from '../relay/cursor.ts'
import { refuseWithoutScope } from '../scopes/refuse-without-scope.ts'
import { TeamMembershipEvent } from './team-membership-event.ts'

const name = 'teamMembershipChanged'
const scope = 'memberships:read'

builder.subscriptionField(name, t =>
  t.field({
    description:
      "Each change of the account's memberships, once and in order, from now on or after a cursor.",
    type: TeamMembershipEvent,
    scope,
    args: {
      after: t.arg.string({
        description: 'Only events after this cursor. Default: changes committed after the stream began.',
      }),
    },
    subscribe: (_root, { after }, context) => {
      const { caller, following, signal, log } = context
      context.cursorOf = ({ sequence }) => eventCursors.encode(sequence)
      return following.memberships.follow({
        accountCode: caller.accountCode,
        after: after == null ? null : eventCursors.decode(after, 'after'),
        signal,
        confirm: async () => refuseWithoutScope(await context.confirmCaller(), scope, `Subscription.${name}`),
        onTrouble: err => log.warn({ err }, 'events cannot be read; the stream waits'),
      })
    },
    resolve: event => event,
  }),
)
