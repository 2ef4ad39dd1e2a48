import type { CaseEvent as CaseEventRow } from '../../domain/cases/case-store.ts'
import { parseIds } from '../../domain/id.ts'
import { checkCaseTypeCode } from '../../domain/name.ts'
import { builder } from '../builder.ts'
import { eventLogs } from '../events/event-logs.ts'
import { followArguments, followField } from '../events/follow-field.ts'
import { CaseEvent } from '../refs.ts'

const { name, options, follow } = followField('caseChanged', eventLogs.cases)

builder.subscriptionField(name, t =>
  t.field({
    ...options,
    type: CaseEvent,
    args: {
      ...followArguments,
      caseTypeCode: t.arg.string({ description: 'Only cases of this type.' }),
      ids: t.arg.idList({ description: 'Only cases with these ids, at most 1,000.' }),
    },
    subscribe: (_root, { after, caseTypeCode, ids }, context) =>
      follow(context.services.following.cases, { after, context, isWanted: chooseEvents(caseTypeCode, ids) }),
    resolve: event => event,
  }),
)

function chooseEvents(caseTypeCode: string | null | undefined, ids: readonly string[] | null | undefined) {
  if (caseTypeCode != null) checkCaseTypeCode(caseTypeCode)
  const wanted = ids == null ? null : new Set(parseIds(ids, 'case id'))
  return (event: CaseEventRow) =>
    (caseTypeCode == null || event.caseTypeCode === caseTypeCode) &&
    (wanted === null || wanted.has(event.caseId))
}
