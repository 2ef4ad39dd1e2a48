import type { MembershipEvent } from '../../domain/store.ts'
import { builder } from '../builder.ts'
import { eventCursors } from '../relay/cursor.ts'
import { resolveList } from '../relay/list-page.ts'
import { costOfPage, pageSize } from '../relay/page-size.ts'
import { TeamMembershipEvent } from './team-membership-event.ts'

const TeamMembershipEventConnection = builder.connectionObject(
  {
    name: 'TeamMembershipEventConnection',
    description: 'A page of events, in the order of the changes.',
    type: TeamMembershipEvent,
  },
  { name: 'TeamMembershipEventEdge', description: 'An event and its cursor.' },
)

builder.queryField('teamMembershipEvents', t =>
  t.field({
    description: "Changes of the account's memberships, oldest first.",
    type: TeamMembershipEventConnection,
    nullable: true,
    scope: 'memberships:read',
    extensions: costOfPage,
    args: {
      after: t.arg.string({
        description: 'Only events after this cursor. Default: from the first event on.',
      }),
      first: t.arg.int({
        description: `Page size: ${pageSize.byDefault} by default, at most ${pageSize.max}.`,
      }),
    },
    resolve: (_root, given, { caller, events }) =>
      resolveList(given, {
        cursors: eventCursors,
        positionOf: ({ sequence }: MembershipEvent) => sequence,
        read: (from, limit) => events.listAfter(caller.accountCode, from ?? 0, limit),
      }),
  }),
)
