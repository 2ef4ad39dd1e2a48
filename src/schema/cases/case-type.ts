import type { CaseType as CaseTypeRow } from '../../domain/cases/case-store.ts'
import { maxIndexedFields } from '../../domain/cases/save-case-type.ts'
import { builder } from '../builder.ts'
import { cost, costOfText } from '../relay/field-cost.ts'

const CaseType = builder.objectRef<CaseTypeRow>('CaseType').implement({
  description: 'A kind of case. It exists from the first case that names it.',
  fields: t => ({
    code: t.exposeString('code', { description: 'Code of the case type.' }),
    indexedFields: t.exposeStringList('indexedFields', {
      description: 'Fields of the data that `cases(filter: {where})` may name.',
      extensions: costOfText,
    }),
  }),
})

const SaveCaseTypeInput = builder.inputType('SaveCaseTypeInput', {
  description: 'A case type and its indexed fields.',
  fields: t => ({
    code: t.string({ required: true, description: 'Code of the case type.' }),
    indexedFields: t.stringList({
      required: true,
      description: `Top-level fields of the data, at most ${maxIndexedFields}.`,
    }),
  }),
})

builder.queryField('caseType', t =>
  t.field({
    description: 'The case type with this code; null if the account has none.',
    type: CaseType,
    nullable: true,
    scope: 'cases:read',
    args: { code: t.arg.string({ required: true, description: 'Code of the case type.' }) },
    resolve: (_root, { code }, { caller, services }) => services.cases.findType(caller.accountCode, code),
  }),
)

builder.queryField('caseTypes', t =>
  t.field({
    description: 'The case types by code, at most the first 1,000.',
    type: [CaseType],
    scope: 'cases:read',
    extensions: cost({ kind: 'list', maxItems: 1_000 }),
    resolve: (_root, _args, { caller, services }) => services.cases.listTypes(caller.accountCode),
  }),
)

builder.mutationField('saveCaseType', t =>
  t.field({
    description:
      'Saves which fields of the data are indexed. The values of all stored cases are indexed before it ends.',
    type: CaseType,
    nullable: true,
    scope: 'cases:write',
    // It reads all cases of the type, a few at a time.
    extensions: cost({ kind: 'fixed', cost: 5_000 }),
    args: {
      input: t.arg({
        type: SaveCaseTypeInput,
        required: true,
        description: 'The type and its indexed fields.',
      }),
    },
    resolve: (_root, { input }, context) =>
      context.services.cases.saveType(context.plainOrigin, { ...input, signal: context.signal }),
  }),
)
