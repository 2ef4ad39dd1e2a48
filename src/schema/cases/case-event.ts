import { checkStoredObject } from '../../json/read-stored.ts'
import { builder } from '../builder.ts'
import { eventFields } from '../events/event-fields.ts'
import { eventLogs } from '../events/event-logs.ts'
import { eventConnection, listField } from '../events/list-field.ts'
import { CaseEvent } from '../refs.ts'
import { costOfData, costOfText } from '../relay/field-cost.ts'

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
    ...eventFields(t, eventLogs.cases),
    kind: t.expose('kind', { type: EventKind, description: 'Kind of change.' }),
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
    function: t.exposeString('functionName', {
      nullable: true,
      description: 'Name of the function whose run made the change; null without one.',
      extensions: costOfText,
    }),
  }),
})

export const CaseEventConnection = eventConnection(CaseEvent, eventLogs.cases)

const { options, list } = listField(eventLogs.cases)

builder.queryField('caseEvents', t =>
  t.field({
    ...options,
    type: CaseEventConnection,
    resolve: (_root, given, { caller, services }) => list(services.caseEvents, caller.accountCode, given),
  }),
)
