import type { BulkAnswer, BulkOutcome } from '../../domain/memberships/memberships-bulk.ts'
import type { RostrumError } from '../../errors.ts'
import { builder } from '../builder.ts'
import { TeamMembership } from '../refs.ts'
import { costOfText } from '../relay/field-cost.ts'

export const TeamMembershipBulkMode = builder.enumType('TeamMembershipBulkMode', {
  description: 'What an item that cannot be done means for the others.',
  values: {
    ATOMIC: { value: 'atomic', description: 'All or nothing: nothing is done.' },
    PARTIAL: { value: 'partial', description: 'Nothing: it alone is left out.' },
  } as const,
})

// Not the error itself: what is resolved to an `Error` is a failure of the field.
type ItemError = Pick<RostrumError, 'code' | 'message' | 'facts'>

const TeamMembershipBulkError = builder.objectRef<ItemError>('TeamMembershipBulkError').implement({
  description: 'Why an item was not done, as the error of a single mutation tells it.',
  fields: t => ({
    code: t.exposeString('code', {
      description: '`BAD_USER_INPUT`, `NOT_FOUND`, `CONFLICT` or `PRECONDITION_FAILED`.',
    }),
    message: t.exposeString('message', {
      description: 'What was wrong and what to do.',
      extensions: costOfText,
    }),
    existingId: t.id({
      nullable: true,
      description:
        'For `CONFLICT`: the membership that has the pair; null where an item of this call would have added it.',
      resolve: ({ facts }) => facts.existingId ?? null,
    }),
    version: t.int({
      nullable: true,
      description: 'For `PRECONDITION_FAILED`: the version that the membership has for this item.',
      resolve: ({ facts }) => (typeof facts.version === 'number' ? facts.version : null),
    }),
  }),
})

const TeamMembershipBulkItem = builder.objectRef<BulkOutcome>('TeamMembershipBulkItem').implement({
  description: 'What became of an item. Both are null where nothing was done because of another item.',
  fields: t => ({
    teamMembership: t.field({
      type: TeamMembership,
      nullable: true,
      description: 'As it was after this item; for a removal, as it was before.',
      resolve: ({ membership }) => membership,
    }),
    error: t.field({
      type: TeamMembershipBulkError,
      nullable: true,
      description: 'Why it was not done.',
      resolve: ({ error }) => error && { code: error.code, message: error.message, facts: error.facts },
    }),
  }),
})

export const TeamMembershipBulkResult = builder.objectRef<BulkAnswer>('TeamMembershipBulkResult').implement({
  description: 'What became of many changes.',
  fields: t => ({
    applied: t.exposeBoolean('applied', {
      description: 'False where the mode is `ATOMIC` and an item has an error: nothing was done.',
    }),
    items: t.field({
      type: [TeamMembershipBulkItem],
      description: 'One for each item, in the order given.',
      resolve: ({ items }) => items,
    }),
  }),
})
