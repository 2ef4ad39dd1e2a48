import type { RequestContext } from '../../context.ts'
import { UncompiledSource } from '../../domain/functions/function-refusals.ts'
import { parseId } from '../../domain/id.ts'
import { nameForm } from '../../domain/name.ts'
import { builder } from '../builder.ts'
import { FunctionRef } from '../refs.ts'
import { cost } from '../relay/field-cost.ts'
import { chooseFunction } from './choose-function.ts'

const ifLiveMeaning =
  'Hashes of which the live version must have one; `*` stands for any. With an empty list it must not exist.'

const SaveFunctionInput = builder.inputType('SaveFunctionInput', {
  description: 'A version of a function. A function that does not exist yet is created.',
  fields: t => ({
    name: t.string({ required: true, description: `Name: ${nameForm}.` }),
    caseTypeCode: t.string({ description: 'Code of its case type; none for all case types.' }),
    sourceCode: t.string({ required: true, description: 'JavaScript source code, which must compile.' }),
    comment: t.string({ description: 'What to know about the version, at most 1,000 characters.' }),
    makeLive: t.boolean({
      required: true,
      defaultValue: true,
      description: 'False to keep the live version. The first version is live in any case.',
    }),
    ifLive: t.idList({ description: ifLiveMeaning }),
  }),
})

builder.mutationFields(t => ({
  saveFunction: t.field({
    description:
      'Compiles a source and saves it as a version. The same source again is the same version.\n\n' +
      '`BAD_USER_INPUT` with `line` and `column` if it does not compile; `CONFLICT` at 1,000 functions;\n' +
      '`PRECONDITION_FAILED` with `liveVersion` if the live version does not meet `ifLive`.',
    type: FunctionRef,
    nullable: true,
    scope: 'functions:write',
    extensions: cost({ kind: 'fixed', cost: 10_000 }),
    args: {
      input: t.arg({ type: SaveFunctionInput, required: true, description: 'The function and its source.' }),
    },
    resolve: async (_root, { input }, context) => {
      const { services } = context
      const { caseTypeCode = null, comment = null, ifLive = null, ...given } = input
      const version = { ...given, caseTypeCode, comment, ifLive }
      services.functions.check(version)
      await refuseUncompiled(version.sourceCode, context)
      return services.functions.save(context.origin, version)
    },
  }),
  makeVersionLive: t.field({
    description:
      'Makes a version the one that runs, for example an earlier one.\n\n' +
      '`NOT_FOUND`; `PRECONDITION_FAILED` with `liveVersion` if the live version does not meet `ifLive`.',
    type: FunctionRef,
    nullable: true,
    scope: 'functions:write',
    args: {
      functionId: t.arg.id({ required: true, description: 'Id of the function.' }),
      hash: t.arg.id({ required: true, description: 'Hash of the version.' }),
      ifLive: t.arg.idList({ description: ifLiveMeaning }),
    },
    resolve: (_root, { functionId, hash, ifLive = null }, { origin, services }) =>
      services.functions.makeLive(origin, parseId(functionId, 'function id'), { hash, ifLive }),
  }),
  removeFunction: t.field({
    description:
      'Removes the function with this id, or with exactly this name and case type code. Returns it as it was.\n\n' +
      '`NOT_FOUND`; `CONFLICT` that names the triggers that use it; `PRECONDITION_FAILED` if the live version does\n' +
      'not meet `ifLive`.',
    type: FunctionRef,
    nullable: true,
    scope: 'functions:write',
    args: {
      id: t.arg.id({ description: 'Id of the function.' }),
      name: t.arg.string({ description: 'Name of the function.' }),
      caseTypeCode: t.arg.string({ description: 'Code of the case type, with a name.' }),
      ifLive: t.arg.idList({ description: ifLiveMeaning }),
    },
    resolve: (_root, { ifLive = null, ...given }, { origin, services }) =>
      services.functions.remove(origin, chooseFunction(given), ifLive),
  }),
}))

async function refuseUncompiled(sourceCode: string, context: RequestContext): Promise<void> {
  const { services, caller, parentRun, signal } = context
  const { accountCode } = caller
  const error = await services.scripts.compile({ sourceCode, accountCode, parentRun, signal })
  if (error !== null) throw new UncompiledSource(error)
}
