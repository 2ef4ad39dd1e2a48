import { builder } from '../builder.ts'
import { TeamMembership } from '../refs.ts'

export const TeamMembershipEdge = builder.edgeObject({
  name: 'TeamMembershipEdge',
  description: 'A membership and its place in the connection.',
  type: TeamMembership,
})

export const TeamMembershipConnection = builder.connectionObject(
  {
    name: 'TeamMembershipConnection',
    description: 'A page of memberships, in ascending id.',
    type: TeamMembership,
  },
  TeamMembershipEdge,
)
