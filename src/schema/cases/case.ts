import { tooLong } from '../../fairness/answer-bytes.ts'
import { checkStoredObject } from '../../json/read-stored.ts'
import { eventArguments } from '../events/list-field.ts'
import { Case } from '../refs.ts'
import { caseEventCursors } from '../relay/cursor.ts'
import { costOfData } from '../relay/field-cost.ts'
import { costOfPage } from '../relay/page-size.ts'
import { resolvePage, sequenceOf } from '../relay/resolve-page.ts'
import { CaseEventConnection } from './case-event.ts'

Case.implement({
  description: 'A case of the account.',
  fields: t => ({
    id: t.exposeID('id', { description: 'The integer id of the REST side, as text.' }),
    caseTypeCode: t.exposeString('caseTypeCode', { description: 'Code of the case type. It never changes.' }),
    data: t.field({
      type: 'JSON',
      description: 'The data, a JSON object, value for value as it was saved.',
      extensions: costOfData,
      resolve({ id, data, dataBytes }, _args, { answerBytes }) {
        answerBytes.add(dataBytes)
        if (data === null)
          throw tooLong(answerBytes.max, 'The data of all cases in one answer', 'These are left out')
        checkStoredObject(data.text, { table: 'cases', column: 'data', id })
        return data
      },
    }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. The REST side sends it as the ETag.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time of the last change.',
    }),
    events: t.field({
      type: CaseEventConnection,
      description: 'Changes of the case, oldest first.',
      scope: 'cases:read',
      extensions: costOfPage,
      args: eventArguments,
      resolve: ({ id }, given, { loaders }) =>
        resolvePage(given, {
          cursors: caseEventCursors,
          positionOf: sequenceOf,
          read: page => loaders.eventsOfCase(id, page),
        }),
    }),
  }),
})
