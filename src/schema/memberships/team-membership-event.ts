import type { MembershipEvent, MembershipPair } from '../../domain/store.ts'
import { builder } from '../builder.ts'
import { eventCursors } from '../relay/cursor.ts'
import { costOfText } from '../relay/field-cost.ts'

const EventKind = builder.enumType('TeamMembershipEventKind', {
  description: 'Kind of change.',
  values: {
    ADDED: { value: 'added', description: 'The user joined the team.' },
    MOVED: { value: 'moved', description: 'The membership moved to another user or team.' },
    REMOVED: { value: 'removed', description: 'The user left the team.' },
  } as const,
})

const Pair = builder.objectRef<MembershipPair>('TeamMembershipPair').implement({
  description: 'A user and a team.',
  fields: t => ({
    userId: t.exposeID('userId', { description: 'Id of the user.' }),
    teamId: t.exposeID('teamId', { description: 'Id of the team.' }),
  }),
})

export const TeamMembershipEvent = builder.objectRef<MembershipEvent>('TeamMembershipEvent').implement({
  description: 'A change of a membership. Written in the transaction of the change, and never modified.',
  fields: t => ({
    cursor: t.string({
      description:
        'Position in the events of the account, which are in the order of the changes. Use it as `after`.',
      resolve: ({ sequence }) => eventCursors.encode(sequence),
    }),
    kind: t.field({ type: EventKind, description: 'Kind of change.', resolve: ({ kind }) => kind }),
    teamMembershipId: t.exposeID('membershipId', { description: 'Id of the membership.' }),
    before: t.field({
      type: Pair,
      nullable: true,
      description: 'User and team before the change; null for `ADDED`.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: Pair,
      nullable: true,
      description: 'User and team after the change; null for `REMOVED`.',
      resolve: ({ after }) => after,
    }),
    byUserId: t.exposeID('userId', {
      nullable: true,
      description: 'User id of the credential that made the change; null if it is not an integer.',
    }),
    byEmail: t.exposeString('email', {
      nullable: true,
      description: 'E-mail address of the credential that made the change; null if unknown.',
      extensions: costOfText,
    }),
    txnID: t.exposeString('transactionId', {
      description: 'Transaction of the script that made the change; the id of the request if no script did.',
      extensions: costOfText,
    }),
    at: t.field({ type: 'DateTime', description: 'Time of the change.', resolve: ({ at }) => at }),
  }),
})
