import type { StoredFunction } from '../../domain/functions/function-store.ts'
import { parseId } from '../../domain/id.ts'
import { RostrumError } from '../../errors.ts'
import { builder } from '../builder.ts'
import { FunctionRef } from '../refs.ts'
import { functionCursors } from '../relay/cursor.ts'
import { costOfRecord } from '../relay/field-cost.ts'
import { listArguments, resolveList } from '../relay/list-page.ts'
import { costOfPage } from '../relay/page-size.ts'

const FunctionConnection = builder.connectionObject(
  {
    name: 'FunctionConnection',
    description: 'A page of functions, in ascending order of id.',
    type: FunctionRef,
  },
  { name: 'FunctionEdge', description: 'A function and its cursor.' },
)

builder.queryFields(t => ({
  function: t.field({
    description:
      'The function with this id or name. With a name, the one of the case type is found first, then the one\n' +
      'without a case type. Null if there is none.',
    type: FunctionRef,
    nullable: true,
    scope: 'functions:read',
    extensions: costOfRecord,
    args: {
      id: t.arg.id({ description: 'Id of the function.' }),
      name: t.arg.string({ description: 'Name of the function.' }),
      caseTypeCode: t.arg.string({ description: 'Code of the case type, with a name.' }),
    },
    resolve: (_root, { id, name, caseTypeCode }, { caller, functions, loaders }) => {
      if (id != null && name == null && caseTypeCode == null)
        return loaders.function.load(parseId(id, 'function id'))
      if (id == null && name != null)
        return functions.findByName(caller.accountCode, { name, caseTypeCode: caseTypeCode ?? null })
      throw new RostrumError('BAD_USER_INPUT', 'Give either `id`, or `name` with or without `caseTypeCode`.')
    },
  }),
  functions: t.field({
    description: 'The functions of the account.',
    type: FunctionConnection,
    scope: 'functions:read',
    extensions: costOfPage,
    args: listArguments,
    resolve: (_root, given, { caller, functions }) =>
      resolveList(given, {
        cursors: functionCursors,
        positionOf: ({ id }: StoredFunction) => id,
        read: (from, limit) => functions.listAfter(caller.accountCode, from ?? 0, limit),
      }),
  }),
}))
