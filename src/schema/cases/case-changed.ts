import { checkCaseTypeCode } from '../../domain/cases/case-failures.ts'
import type { CaseEvent as CaseEventRow } from '../../domain/cases/case-store.ts'
import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { CaseEvent } from '../refs.ts'
import { caseEventCursors } from '../relay/cursor.ts'
import { refuseWithoutScope } from '../scopes/refuse-without-scope.ts'

const name = 'caseChanged'
const scope = 'cases:read'

builder.subscriptionField(name, t =>
  t.field({
    description: "Each change of the account's cases, once and in order, from now on or after a cursor.",
    type: CaseEvent,
    scope,
    args: {
      after: t.arg.string({
        description: 'Only events after this cursor. Default: changes committed after the stream began.',
      }),
      caseTypeCode: t.arg.string({ description: 'Only cases of this type.' }),
      ids: t.arg.idList({ description: 'Only cases with these ids, at most 1,000.' }),
    },
    subscribe: (_root, { after, caseTypeCode, ids }, context) => {
      const { caller, following, signal, log } = context
      context.cursorOf = ({ sequence }) => caseEventCursors.encode(sequence)
      return following.cases.follow({
        accountCode: caller.accountCode,
        after: after == null ? null : caseEventCursors.decode(after, 'after'),
        signal,
        isWanted: chooseEvents(caseTypeCode, ids),
        confirm: async () => refuseWithoutScope(await context.confirmCaller(), scope, `Subscription.${name}`),
        onTrouble: err => log.warn({ err }, 'case events cannot be read; the stream waits'),
      })
    },
    resolve: event => event,
  }),
)

function chooseEvents(caseTypeCode: string | null | undefined, ids: readonly string[] | null | undefined) {
  if (caseTypeCode != null) checkCaseTypeCode(caseTypeCode)
  const wanted = ids == null ? null : new Set(ids.map(id => parseId(id, 'case id')))
  return (event: CaseEventRow) =>
    (caseTypeCode == null || event.caseTypeCode === caseTypeCode) &&
    (wanted === null || wanted.has(event.caseId))
}
