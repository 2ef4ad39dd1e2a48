import type { MembershipEvent, MembershipPair } from '../../domain/store.ts'
import { builder } from '../builder.ts'
import { eventCursors } from '../relay/cursor.ts'
import { costOfText } from '../relay/field-cost.ts'

const Kind = builder.enumType('TeamMembershipEventKind', {
  description: 'What became of a membership.',
  values: {
    ADDED: { value: 'added', description: 'The user joined the team.' },
    MOVED: { value: 'moved', description: 'It was reassigned to another user or team.' },
    REMOVED: { value: 'removed', description: 'The user left the team.' },
  } as const,
})

const Pair = builder.objectRef<MembershipPair>('TeamMembershipPair').implement({
  description: 'Who was in which team.',
  fields: t => ({
    userId: t.exposeID('userId', { description: 'Id of the user.' }),
    teamId: t.exposeID('teamId', { description: 'Id of the team.' }),
  }),
})

export const TeamMembershipEvent = builder.objectRef<MembershipEvent>('TeamMembershipEvent').implement({
  description: 'A change of a membership, written with the change itself and never changed.',
  fields: t => ({
    cursor: t.string({
      description:
        'Its place among those of the account, which are in the order of the changes. For `after`.',
      resolve: ({ sequence }) => eventCursors.encode(sequence),
    }),
    kind: t.field({ type: Kind, description: 'What happened.', resolve: ({ kind }) => kind }),
    teamMembershipId: t.exposeID('membershipId', { description: 'Id of the membership.' }),
    before: t.field({
      type: Pair,
      nullable: true,
      description: 'As it was; null for `ADDED`.',
      resolve: ({ before }) => before,
    }),
    after: t.field({
      type: Pair,
      nullable: true,
      description: 'As it became; null for `REMOVED`.',
      resolve: ({ after }) => after,
    }),
    byUserId: t.exposeID('userId', {
      nullable: true,
      description: 'Who changed it, as the credential said; null where that names nobody with an integer id.',
    }),
    byEmail: t.exposeString('email', {
      nullable: true,
      description: 'The e-mail address of the credential, where it was known.',
      extensions: costOfText,
    }),
    txnID: t.exposeString('transactionId', {
      description: 'The transaction of the script that changed it; where none did, the id of the request.',
      extensions: costOfText,
    }),
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => at }),
  }),
})
