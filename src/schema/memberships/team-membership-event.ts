import type { MembershipEvent, MembershipPair } from '../../domain/memberships/membership-store.ts'
import { builder } from '../builder.ts'
import { eventFields } from '../events/event-fields.ts'
import { eventLogs } from '../events/event-logs.ts'
import { followArguments, followField } from '../events/follow-field.ts'
import { eventConnection, listField } from '../events/list-field.ts'

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

const TeamMembershipEvent = builder.objectRef<MembershipEvent>('TeamMembershipEvent')

TeamMembershipEvent.implement({
  description: 'A change of a membership. Written in the transaction of the change, and never modified.',
  fields: t => ({
    ...eventFields(t, eventLogs.memberships),
    kind: t.expose('kind', { type: EventKind, description: 'Kind of change.' }),
    teamMembershipId: t.exposeID('membershipId', { description: 'Id of the membership.' }),
    before: t.expose('before', {
      type: Pair,
      nullable: true,
      description: 'User and team before the change; null for `ADDED`.',
    }),
    after: t.expose('after', {
      type: Pair,
      nullable: true,
      description: 'User and team after the change; null for `REMOVED`.',
    }),
  }),
})

const { options, list } = listField(eventLogs.memberships)
const changed = followField('teamMembershipChanged', eventLogs.memberships)

builder.queryField('teamMembershipEvents', t =>
  t.field({
    ...options,
    type: eventConnection(TeamMembershipEvent, eventLogs.memberships),
    nullable: true,
    resolve: (_root, given, { caller, services }) => list(services.events, caller.accountCode, given),
  }),
)

builder.subscriptionField(changed.name, t =>
  t.field({
    ...changed.options,
    type: TeamMembershipEvent,
    args: followArguments,
    subscribe: (_root, { after }, context) =>
      changed.follow(context.services.following.memberships, { after, context }),
    resolve: event => event,
  }),
)
