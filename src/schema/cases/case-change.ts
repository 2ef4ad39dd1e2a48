import { isLong } from '../../domain/case-data/case-data.ts'
import { writePatch } from '../../domain/case-data/write-patch.ts'
import type { ChangedCase } from '../../domain/cases/attempt-change.ts'
import { JsonText } from '../../json/json-text.ts'
import { builder } from '../builder.ts'
import { Case, Run } from '../refs.ts'
import { cost, costOfData, costOfText } from '../relay/field-cost.ts'

export const CaseChange = builder.objectRef<ChangedCase>('CaseChange').implement({
  description: 'The result of a save.',
  fields: t => ({
    case: t.expose('row', {
      type: Case,
      nullable: true,
      description: 'The case as it is stored now; null after a dry run that would create one.',
    }),
    saved: t.exposeBoolean('isSaved', {
      description: 'False after a dry run, and where the data were equal to what is stored.',
    }),
    changedFields: t.field({
      type: 'JSON',
      description: 'The top-level fields that changed: `{field: [new, previous]}`, null where one is absent.',
      extensions: costOfData,
      resolve({ changedFields }, _args, { answerBytes }) {
        answerBytes.add(Buffer.byteLength(changedFields.text))
        return changedFields
      },
    }),
    patch: t.field({
      type: 'JSON',
      description: 'The same difference as a JSON Patch (RFC 6902).',
      extensions: costOfData,
      async resolve({ changed, data }, _args, context) {
        const { answerBytes } = context
        if (isLong(data?.length)) await context.nextTurn()
        const patch = writePatch(changed, data ?? '{}')
        answerBytes.add(Buffer.byteLength(patch))
        return new JsonText(patch)
      },
    }),
    runs: t.field({
      type: [Run],
      description: 'The runs that decided the save: that of its task, then those of hooks, in their order.',
      scope: 'runs:read',
      // A type can have ten hooks, and most have few. The bytes of their long values are limited apart.
      extensions: cost({ kind: 'list', maxItems: 4 }),
      async resolve({ runs: { runIds, whenKept } }, _args, { loaders }) {
        await whenKept()
        const rows = await Promise.all(runIds.map(runId => loaders.run(runId)))
        return rows.filter(run => run !== null)
      },
    }),
    txnID: t.exposeString('transactionId', {
      description: 'The transaction of the save.',
      extensions: costOfText,
    }),
  }),
})
