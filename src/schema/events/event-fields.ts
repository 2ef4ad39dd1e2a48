import type { LoggedEvent } from '../../domain/port.ts'
import type { SchemaTypes } from '../builder.ts'
import { costOfText } from '../relay/field-cost.ts'
import type { EventLog } from './event-logs.ts'

type FieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<
  PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>,
  LoggedEvent
>

/** The fields of every event: its cursor, who made the change, in which transaction, and when. */
export function eventFields(t: FieldBuilder, { noun, madeBy, cursors }: EventLog) {
  return {
    cursor: t.string({
      description:
        `Position in the ${noun} of the account, which are in the order of the changes. ` +
        'Use it as `after`.',
      resolve: ({ sequence }) => cursors.encode(sequence),
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
      description: `Transaction of the ${madeBy} that made the change; the id of the request if no script did.`,
      extensions: costOfText,
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
  }
}
