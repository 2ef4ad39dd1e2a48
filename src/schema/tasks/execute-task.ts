import { builder } from '../builder.ts'
import { cost } from '../relay/field-cost.ts'
import { TaskExecution } from './task-execution.ts'

const TaskMetadataInput = builder.inputType('TaskMetadataInput', {
  description: 'Identifies the function in logs and in the transaction.',
  fields: t => ({
    caseTypeCode: t.string({ description: 'Code of the case type.' }),
    accountNickname: t.string({ description: 'Nickname of the account.' }),
  }),
})

const ExecuteTaskInput = builder.inputType('ExecuteTaskInput', {
  description: 'A script and what it runs against.',
  fields: t => ({
    name: t.string({ required: true, description: 'Name of the function or task.' }),
    sourceCode: t.string({ required: true, description: 'The JavaScript.' }),
    inputDocument: t.string({
      required: true,
      description: 'A JSON document; the script sees it as `payload`.',
    }),
    options: t.string({ required: true, description: 'A JSON object; the script sees it as `options`.' }),
    metadata: t.field({ type: TaskMetadataInput, description: 'Identifies the function.' }),
  }),
})

builder.mutationField('executeTask', t =>
  t.field({
    description:
      'Runs a script in a sandbox and waits for its end. What the script did is an answer, not an error.',
    type: TaskExecution,
    nullable: true,
    scope: 'tasks:execute',
    extensions: cost({ kind: 'fixed', cost: 10_000 }),
    args: { input: t.arg({ type: ExecuteTaskInput, required: true, description: 'What to run.' }) },
    resolve: async (_root, { input }, context) => {
      const { caller, parentRun, signal, log } = context
      const metadata = {
        caseTypeCode: input.metadata?.caseTypeCode ?? null,
        accountNickname: input.metadata?.accountNickname ?? null,
      }
      const onRun = context.onRun
      const request = { input: { ...input, metadata }, caller, parentRun, signal, log, onRun }
      const execution = await context.tasks.execute(request)
      // The script may have changed what this operation has read.
      context.loaders.clear()
      return execution
    },
  }),
)
