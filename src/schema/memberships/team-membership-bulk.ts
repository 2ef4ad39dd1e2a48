import type { BulkAnswer, BulkOutcome } from '../../domain/memberships/memberships-bulk.ts'
import { conflictReasons, type ConflictReason as Reason, type RostrumError } from '../../errors.ts'
import { builder } from '../builder.ts'
import { TeamMembership } from '../refs.ts'
import { costOfText } from '../relay/field-cost.ts'

export const TeamMembershipBulkMode = builder.enumType('TeamMembershipBulkMode', {
  description: 'What one failing item means for the others.',
  values: {
    ATOMIC: { value: 'atomic', description: 'All or nothing: if one item fails, nothing changes.' },
    PARTIAL: { value: 'partial', description: 'A failing item is left out; the others are done.' },
  } as const,
})

const reasons = Object.entries(conflictReasons).map(([reason, description]) => [reason, { description }])

const ConflictReason = builder.enumType('ConflictReason', {
  description: 'Why a change was refused as `CONFLICT` or `PRECONDITION_FAILED`, as in `extensions.reason`.',
  values: Object.fromEntries(reasons) as Record<Reason, { description: string }>,
})

// Not the `Error` itself: graphql-js fails a field that resolves to an `Error`.
type ItemError = Pick<RostrumError, 'code' | 'reason' | 'message' | 'facts'>

const TeamMembershipBulkError = builder.objectRef<ItemError>('TeamMembershipBulkError').implement({
  description: 'Why an item failed: the same error that the single mutation gives.',
  fields: t => ({
    code: t.exposeString('code', {
      description: '`BAD_USER_INPUT`, `NOT_FOUND`, `CONFLICT` or `PRECONDITION_FAILED`.',
    }),
    reason: t.expose('reason', {
      type: ConflictReason,
      nullable: true,
      description: 'For `CONFLICT` and `PRECONDITION_FAILED`: why.',
    }),
    message: t.exposeString('message', {
      description: 'What was wrong and what to do.',
      extensions: costOfText,
    }),
    existingId: t.id({
      nullable: true,
      description:
        'For `CONFLICT`: id of the membership that has the pair; null if an earlier item of this call adds it.',
      resolve: ({ facts }) => (typeof facts.existingId === 'number' ? facts.existingId : null),
    }),
    version: t.int({
      nullable: true,
      description: 'For `PRECONDITION_FAILED`: the version of the membership when its item was reached.',
      resolve: ({ facts }) => (typeof facts.version === 'number' ? facts.version : null),
    }),
  }),
})

const TeamMembershipBulkItem = builder.objectRef<BulkOutcome>('TeamMembershipBulkItem').implement({
  description: 'The result of one item. Both fields are null if nothing changed because another item failed.',
  fields: t => ({
    teamMembership: t.expose('membership', {
      type: TeamMembership,
      nullable: true,
      description: 'The membership after this item; for a removal, as it was before.',
    }),
    error: t.field({
      type: TeamMembershipBulkError,
      nullable: true,
      description: 'Why the item failed.',
      resolve: ({ error }) => {
        if (error === null) return null
        const { code, reason, message, facts } = error
        return { code, reason, message, facts }
      },
    }),
  }),
})

export const TeamMembershipBulkResult = builder.objectRef<BulkAnswer>('TeamMembershipBulkResult').implement({
  description: 'The result of a bulk mutation.',
  fields: t => ({
    applied: t.exposeBoolean('applied', {
      description: 'False if the mode is `ATOMIC` and an item failed: nothing changed.',
    }),
    items: t.expose('items', {
      type: [TeamMembershipBulkItem],
      description: 'One result for each item, in the order given.',
    }),
  }),
})
