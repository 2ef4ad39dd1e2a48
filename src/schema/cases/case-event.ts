import type { CaseEvent as CaseEventRow } from '../../domain/cases/case-store.ts'
import { checkStoredObject } from '../../json/read-stored.ts'
import { builder } from '../builder.ts'
import { CaseEvent } from '../refs.ts'
import { caseEventCursors } from '../relay/cursor.ts'
import { costOfText } from '../relay/field-cost.ts'
import { resolveList } from '../relay/list-page.ts'
import { costOfPage } from '../relay/page-size.ts'
import { costOfData } from './case.ts'
import { CaseEventConnection, eventArguments } from './case-event-connection.ts'

const EventKind = builder.enumType('CaseEventKind', {
  description: 'Kind of change.',
  values: {
    CREATED: { value: 'created', description: 'The case was created.' },
    SAVED: { value: 'saved', description: 'Its data changed.' },
    DELETED: { value: 'deleted', description: 'The case was deleted.' },
  } as const,
})

CaseEvent.implement({
  description: 'A change of a case. Written in the transaction of the change, and never modified.',
  fields: t => ({
    cursor: t.string({
      description:
        'Position in the case events of the account, which are in the order of the changes. Use it as `after`.',
      resolve: ({ sequence }) => caseEventCursors.encode(sequence),
    }),
    kind: t.field({ type: EventKind, description: 'Kind of change.', resolve: ({ kind }) => kind }),
    caseId: t.exposeID('caseId', { description: 'Id of the case.' }),
    caseTypeCode: t.exposeString('caseTypeCode', { description: 'Code of the case type.' }),
    version: t.exposeInt('version', { description: 'Version after the change; for `DELETED` the last one.' }),
    changedFields: t.field({
      type: 'JSON',
      description: 'The top-level fields that changed: `{field: [new, previous]}`, null where one is absent.',
      extensions: costOfData,
      async resolve({ changedFields, changedBytes, sequence }, _args, { answerBytes, loaders }) {
        answerBytes.add(changedBytes)
        const fields = changedFields ?? (await loaders.changedFields(sequence))
        checkStoredObject(fields.text, { table: 'case_events', column: 'changed_fields', id: sequence })
        return fields
      },
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
    function: t.exposeString('functionName', {
      nullable: true,
      description: 'Name of the function whose run made the change; null without one.',
      extensions: costOfText,
    }),
    txnID: t.exposeString('transactionId', {
      description: 'Transaction of the run that made the change; the id of the request if no script did.',
      extensions: costOfText,
    }),
    at: t.field({ type: 'DateTime', description: 'Time of the change.', resolve: ({ at }) => at }),
  }),
})

builder.queryField('caseEvents', t =>
  t.field({
    description: "Changes of the account's cases, oldest first.",
    type: CaseEventConnection,
    scope: 'cases:read',
    extensions: costOfPage,
    args: eventArguments,
    resolve: (_root, given, { caller, caseEvents }) =>
      resolveList(given, {
        cursors: caseEventCursors,
        positionOf: ({ sequence }: CaseEventRow) => sequence,
        read: (from, limit) => caseEvents.listAfter(caller.accountCode, from ?? 0, limit),
      }),
  }),
)
