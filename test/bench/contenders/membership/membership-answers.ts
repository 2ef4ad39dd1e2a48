const restMembership = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    user_id: { type: 'integer' },
    team_id: { type: 'integer' },
    leader: { type: 'boolean', nullable: true },
  },
}

const graphqlMembership = {
  type: 'object',
  nullable: true,
  properties: {
    id: { type: 'string' },
    userId: { type: 'string' },
    teamId: { type: 'string' },
    leader: { type: 'boolean', nullable: true },
  },
}

/** The schemas by which Fastify writes the answers. */
export const restAnswer = { type: 'object', properties: { team_membership: restMembership } }

// The data have any shape, so they are written as they are.
export const caseAnswer = {
  type: 'object',
  properties: {
    case: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        case_type_code: { type: 'string' },
        data: { type: 'object', additionalProperties: true },
        version: { type: 'integer' },
        created_at: { type: 'string' },
        updated_at: { type: 'string' },
      },
    },
  },
}

export const graphqlAnswer = {
  type: 'object',
  properties: {
    data: {
      type: 'object',
      properties: {
        teamMembership: graphqlMembership,
        teamMemberships: { type: 'array', items: graphqlMembership },
      },
    },
  },
}

interface Membership {
  readonly id: number
  readonly userId: number
  readonly teamId: number
  readonly leader: number | boolean | null
}

export function toRest({ id, userId, teamId, leader }: Membership) {
  return { team_membership: { id, user_id: userId, team_id: teamId, leader } }
}
