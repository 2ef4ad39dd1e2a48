import { builder } from '../builder.ts'
import { FunctionRef } from '../refs.ts'
import { functionCursors } from '../relay/cursor.ts'
import { costOfRecord } from '../relay/field-cost.ts'
import { listArguments, resolveList } from '../relay/list-page.ts'
import { costOfPage } from '../relay/page-size.ts'
import { chooseFunction } from './choose-function.ts'

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
      'without a case type. Null if there is none. With `exact` there is no second look.',
    type: FunctionRef,
    nullable: true,
    scope: 'functions:read',
    extensions: costOfRecord,
    args: {
      id: t.arg.id({ description: 'Id of the function.' }),
      name: t.arg.string({ description: 'Name of the function.' }),
      caseTypeCode: t.arg.string({ description: 'Code of the case type, with a name.' }),
      exact: t.arg.boolean({
        required: true,
        defaultValue: false,
        description:
          'True to find the function of exactly this case type code; without a code, the one without.',
      }),
    },
    resolve: (_root, { exact, ...given }, { caller: { accountCode }, services, loaders }) => {
      const which = chooseFunction(given)
      if (typeof which === 'number') return loaders.function.load(which)
      return exact
        ? services.functions.findExact(accountCode, which)
        : services.functions.findByName(accountCode, which)
    },
  }),
  functions: t.field({
    description: 'The functions of the account.',
    type: FunctionConnection,
    scope: 'functions:read',
    extensions: costOfPage,
    args: listArguments,
    resolve: (_root, given, { caller, services }) =>
      resolveList(given, {
        cursors: functionCursors,
        read: (from, limit) => services.functions.listAfter(caller.accountCode, from ?? 0, limit),
      }),
  }),
}))
