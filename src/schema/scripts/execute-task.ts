import { makeCause } from '../../domain/scripts/run-cause.ts'
import { builder } from '../builder.ts'
import { costOfRun } from '../relay/field-cost.ts'
import { TaskExecution } from './task-execution.ts'

const TaskMetadataInput = builder.inputType('TaskMetadataInput', {
  description: 'What identifies the script besides its name.',
  fields: t => ({
    caseTypeCode: t.string({ description: 'Code of the case type, for `txnSource`.' }),
    accountNickname: t.string({ description: 'Not used. At most 200 characters.' }),
  }),
})

const ExecuteTaskInput = builder.inputType('ExecuteTaskInput', {
  description: 'A script and its input.',
  fields: t => ({
    name: t.string({ required: true, description: 'Name of the script, for logs and `txnSource`.' }),
    sourceCode: t.string({ required: true, description: 'JavaScript source code.' }),
    inputDocument: t.string({
      required: true,
      description: 'A JSON document as text. The script reads it as `payload`.',
    }),
    options: t.string({
      required: true,
      description: 'A JSON object as text. The script reads it as `options`.',
    }),
    metadata: t.field({
      type: TaskMetadataInput,
      description: 'What identifies the script besides its name.',
    }),
  }),
})

builder.mutationField('executeTask', t =>
  t.field({
    description:
      'Runs a script in a sandbox and waits until it ends. A script that fails is a result, not an error.',
    type: TaskExecution,
    nullable: true,
    scope: 'tasks:execute',
    extensions: costOfRun,
    args: {
      input: t.arg({ type: ExecuteTaskInput, required: true, description: 'The script and its input.' }),
    },
    resolve: (_root, { input }, context) => {
      const { name, sourceCode, inputDocument: payload, options, metadata } = input
      const { caseTypeCode = null, accountNickname = null } = metadata ?? {}
      const cause = makeCause({ trigger: 'endpoint' })
      const script = { name, sourceCode, payload, options, caseTypeCode, accountNickname, cause }
      return context.services.scripts.run({ ...script, rights: 'caller' }, context)
    },
  }),
)
