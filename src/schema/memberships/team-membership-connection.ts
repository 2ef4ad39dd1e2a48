import { builder } from '../builder.ts'
import { TeamMembership } from '../refs.ts'

export const TeamMembershipEdge = builder.edgeObject({
  name: 'TeamMembershipEdge',
  description: 'A membership and its cursor.',
  type: TeamMembership,
})

export const TeamMembershipConnection = builder.connectionObject(
  {
    name: 'TeamMembershipConnection',
    description: 'A page of memberships, in ascending order of id.',
    type: TeamMembership,
  },
  TeamMembershipEdge,
)
