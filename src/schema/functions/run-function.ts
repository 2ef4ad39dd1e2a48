import { JsonText } from '../../json/json-text.ts'
import { type GivenJson, readJson } from '../../json/read-json.ts'
import { builder } from '../builder.ts'
import { costOfRun } from '../relay/field-cost.ts'
import { hideError } from '../scripts/hide-error.ts'
import { TaskExecution } from '../scripts/task-execution.ts'

const RunFunctionInput = builder.inputType('RunFunctionInput', {
  description: 'A stored function and its input.',
  fields: t => ({
    name: t.string({ required: true, description: 'Name of the function.' }),
    caseTypeCode: t.string({
      description: 'Code of the case type. The function of this type runs, else the one without a type.',
    }),
    version: t.id({ description: 'Hash of the version to run. Default: the live one.' }),
    inputDocument: t.field({
      type: 'JSON',
      required: true,
      description: 'The script reads it as `payload`.',
    }),
    options: t.field({ type: 'JSON', description: 'An object. The script reads it as `options`.' }),
  }),
})

builder.mutationField('runFunction', t =>
  t.field({
    description:
      'Runs a stored function in a sandbox and waits until it ends. A script that fails is a result, not an error.' +
      '\n\n`NOT_FOUND` for an unknown function or version.',
    type: TaskExecution,
    nullable: true,
    scope: 'tasks:execute',
    extensions: costOfRun,
    args: {
      input: t.arg({ type: RunFunctionInput, required: true, description: 'The function and its input.' }),
    },
    resolve: async (_root, { input }, context) => {
      const execution = await context.services.functions.run(context, {
        name: input.name,
        caseTypeCode: input.caseTypeCode ?? null,
        version: input.version ?? null,
        payload: toText(input.inputDocument, '/inputDocument'),
        options: input.options == null ? '{}' : toText(input.options, '/options'),
      })
      return hideError(execution, context)
    },
  }),
)

// The REST side passes the text of a document on, unparsed.
function toText(given: GivenJson, pointer: string): string {
  const value: unknown = given
  return value instanceof JsonText ? value.text : JSON.stringify(readJson(given, { pointer }))
}
