import type { CaseFilter } from '../../domain/cases/cases.ts'
import { maxIndexedFields } from '../../domain/cases/save-case-type.ts'
import { parseId, parseIds } from '../../domain/id.ts'
import { readJson } from '../../json/read-json.ts'
import { builder } from '../builder.ts'
import { Case } from '../refs.ts'
import { caseCursors } from '../relay/cursor.ts'
import { cost } from '../relay/field-cost.ts'
import { costOfPage } from '../relay/page-size.ts'
import { idOf, resolvePage } from '../relay/resolve-page.ts'

const FieldFilter = builder.inputType('FieldFilter', {
  description: 'A field of the data and the values that it may have.',
  fields: t => ({
    field: t.string({ required: true, description: 'An indexed field of the case type.' }),
    in: t.field({
      type: ['JSON'],
      required: { list: true, items: false },
      description: 'The values, compared by deep equality without the order of keys.',
    }),
  }),
})

const CaseFilterInput = builder.inputType('CaseFilter', {
  description: 'The cases that meet all conditions.',
  fields: t => ({
    caseTypeCode: t.string({ description: 'Code of the case type. Required together with `where`.' }),
    where: t.field({
      type: [FieldFilter],
      description: `Conditions on indexed fields, at most ${maxIndexedFields}.`,
    }),
  }),
})

const CaseEdge = builder.edgeObject({ name: 'CaseEdge', description: 'A case and its cursor.', type: Case })

const CaseConnection = builder.connectionObject(
  { name: 'CaseConnection', description: 'A page of cases, in ascending order of id.', type: Case },
  CaseEdge,
)

builder.queryFields(t => ({
  case: t.field({
    description: 'The case with this id; null if the account has none.',
    type: Case,
    nullable: true,
    scope: 'cases:read',
    args: { id: t.arg.id({ required: true, description: 'Id of the case.' }) },
    resolve: (_root, { id }, { loaders }) => loaders.case.load(parseId(id, 'case id')),
  }),
  casesByIds: t.field({
    description:
      'The cases with these ids, in the order given, each once. Ids that do not exist are left out.',
    type: [Case],
    scope: 'cases:read',
    extensions: cost({ kind: 'listOf', argument: 'ids' }),
    args: { ids: t.arg.idList({ required: true, description: 'Ids of the cases, at most 1,000.' }) },
    resolve: (_root, { ids }, { caller, services }) =>
      services.cases.list(caller.accountCode, parseIds(ids, 'case id')),
  }),
  cases: t.connection(
    {
      description: "The account's cases that meet the filter.",
      type: Case,
      scope: 'cases:read',
      extensions: costOfPage,
      args: { filter: t.arg({ type: CaseFilterInput, description: 'Default: all cases.' }) },
      resolve: (_root, { filter, ...page }, { caller, services }) =>
        resolvePage(page, {
          cursors: caseCursors,
          positionOf: idOf,
          read: rows => services.cases.page(caller.accountCode, readFilter(filter), rows),
        }),
    },
    CaseConnection,
    CaseEdge,
  ),
}))

function readFilter(filter: typeof CaseFilterInput.$inferInput | null | undefined): CaseFilter {
  const where = (filter?.where ?? []).map(({ field, in: values }, at) => ({
    field,
    in: values.map((value, index) =>
      value == null ? null : readJson(value, { pointer: `/filter/where/${at}/in/${index}` }),
    ),
  }))
  return { caseTypeCode: filter?.caseTypeCode ?? null, where }
}
