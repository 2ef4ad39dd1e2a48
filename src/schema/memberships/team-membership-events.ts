import type { MembershipEvent } from '../../domain/store.ts'
import { builder } from '../builder.ts'
import { checkSize } from '../relay/connection-page.ts'
import { eventCursors } from '../relay/cursor.ts'
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
    resolve: async (_root, { after, first }, { caller, events }) => {
      const from = after == null ? 0 : eventCursors.decode(after, 'after')
      const size = checkSize(first ?? pageSize.byDefault, 'first')
      const found = await events.listAfter(caller.accountCode, from, size + 1)
      return toConnection(found.slice(0, size), { hasMore: found.length > size, from })
    },
  }),
)

interface Position {
  readonly hasMore: boolean
  readonly from: number
}

function toConnection(events: readonly MembershipEvent[], { hasMore, from }: Position) {
  const edges = events.map(node => ({ cursor: eventCursors.encode(node.sequence), node }))
  return {
    edges,
    pageInfo: {
      hasNextPage: hasMore,
      hasPreviousPage: from > 0,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  }
}
