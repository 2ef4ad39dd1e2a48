import type { RequestContext } from '../../context.ts'
import { parseId } from '../../domain/id.ts'
import { RostrumError } from '../../errors.ts'
import { builder } from '../builder.ts'
import { FunctionRef } from '../refs.ts'
import { cost } from '../relay/field-cost.ts'

const SaveFunctionInput = builder.inputType('SaveFunctionInput', {
  description: 'A version of a function. A function that does not exist yet is created.',
  fields: t => ({
    name: t.string({ required: true, description: 'Name: at most 64 letters, digits, `.`, `_` and `-`.' }),
    caseTypeCode: t.string({ description: 'Code of its case type; none for all case types.' }),
    sourceCode: t.string({ required: true, description: 'JavaScript source code, which must compile.' }),
    comment: t.string({ description: 'What to know about the version, at most 1,000 characters.' }),
    makeLive: t.boolean({
      required: true,
      defaultValue: true,
      description: 'False to keep the live version. The first version is live in any case.',
    }),
  }),
})

builder.mutationFields(t => ({
  saveFunction: t.field({
    description:
      'Compiles a source and saves it as a version. The same source again is the same version.\n\n' +
      '`BAD_USER_INPUT` with `line` and `column` if it does not compile; `CONFLICT` at 1,000 functions.',
    type: FunctionRef,
    nullable: true,
    scope: 'functions:write',
    extensions: cost({ kind: 'fixed', cost: 10_000 }),
    args: {
      input: t.arg({ type: SaveFunctionInput, required: true, description: 'The function and its source.' }),
    },
    resolve: async (_root, { input }, context) => {
      const { functions, loaders } = context
      const { caseTypeCode, comment, ...given } = input
      const version = { ...given, caseTypeCode: caseTypeCode ?? null, comment: comment ?? null }
      functions.check(version)
      await refuseUncompiled(version.sourceCode, context)
      const saved = await functions.save(context.origin, version)
      loaders.clear()
      return saved
    },
  }),
  makeVersionLive: t.field({
    description: 'Makes a version the one that runs, for example an earlier one. `NOT_FOUND`.',
    type: FunctionRef,
    nullable: true,
    scope: 'functions:write',
    args: {
      functionId: t.arg.id({ required: true, description: 'Id of the function.' }),
      hash: t.arg.id({ required: true, description: 'Hash of the version.' }),
    },
    resolve: async (_root, { functionId, hash }, { origin, functions, loaders }) => {
      const changed = await functions.makeLive(origin, parseId(functionId, 'function id'), hash)
      loaders.clear()
      return changed
    },
  }),
  removeFunction: t.field({
    description:
      'Removes a function and returns it as it was. `NOT_FOUND`, or `CONFLICT` that names the triggers that use it.',
    type: FunctionRef,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the function.' }) },
    resolve: async (_root, { id }, { origin, functions, loaders }) => {
      const removed = await functions.remove(origin, parseId(id, 'function id'))
      loaders.clear()
      return removed
    },
  }),
}))

async function refuseUncompiled(sourceCode: string, context: RequestContext): Promise<void> {
  const { tasks, caller, parentRun, signal, log } = context
  const { accountCode } = caller
  const error = await tasks.compile({ sourceCode, accountCode, parentRun, signal, log })
  if (error === null) return
  const { message, line, column } = error
  const place = line === null ? '' : ` (line ${line}, column ${column})`
  const detail = `does not compile: ${message}${place}`
  throw new RostrumError('BAD_USER_INPUT', `\`sourceCode\` ${detail}.`, {
    fields: [{ pointer: '/sourceCode', detail }],
    facts: { ...(line !== null && { line }), ...(column !== null && { column }) },
  })
}
