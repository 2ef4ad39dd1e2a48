import { caseDataLimits } from '../../domain/case-data/case-data.ts'
import type { ChangedCase } from '../../domain/cases/attempt-change.ts'
import { parseId } from '../../domain/id.ts'
import type { Execution } from '../../domain/scripts/run.ts'
import { invalidInput } from '../../errors.ts'
import type { JsonObject } from '../../json/read-json.ts'
import { type GivenJson, readJson } from '../../json/read-json.ts'
import { builder } from '../builder.ts'
import { CaseChange } from '../cases/case-change.ts'
import { changeArguments, readChange } from '../cases/read-change.ts'
import { costOfRun } from '../relay/field-cost.ts'
import { hideError } from '../scripts/hide-error.ts'
import { TaskExecution } from '../scripts/task-execution.ts'

// Bytes of the case's data and of the patch.
const bytesOfCase = 2 * caseDataLimits.bytes

interface CaseTaskResultRow {
  readonly execution: Execution
  readonly change: ChangedCase | null
}

const CaseTaskResult = builder.objectRef<CaseTaskResultRow>('CaseTaskResult').implement({
  description: 'The outcome of a case task.',
  fields: t => ({
    execution: t.expose('execution', {
      type: TaskExecution,
      description: 'The run of the task. A task that fails is a result, not an error.',
    }),
    change: t.expose('change', {
      type: CaseChange,
      nullable: true,
      description: 'The save of what the task gave to `exit`; null for other outcomes.',
    }),
  }),
})

builder.mutationField('runCaseTask', t =>
  t.field({
    description:
      'Runs a task on a case, with the rights of the task, and saves the object that it gives to `exit`. The hooks\n' +
      'of the save may refuse it.\n\n' +
      '`NOT_FOUND` for an unknown case or task, `CONFLICT` if the case was changed meanwhile.',
    type: CaseTaskResult,
    nullable: true,
    scope: 'cases:write',
    extensions: costOfRun,
    args: {
      caseId: t.arg.id({ required: true, description: 'Id of the case.' }),
      name: t.arg.string({ required: true, description: 'Name of the task.' }),
      params: t.arg({ type: 'JSON', description: 'An object. The script reads it as `options.params`.' }),
      ifVersions: t.arg.intList({ description: changeArguments.ifVersions }),
      dryRun: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Runs all scripts, and stores nothing.',
      }),
    },
    resolve: async (_root, { caseId, name, params, ...given }, context) => {
      const change = readChange(context, given)
      const { execution, change: done } = await context.services.cases.runTask({
        ...change,
        id: parseId(caseId, 'case id'),
        name,
        params: params == null ? {} : readParams(params),
        deadlineOfSave: () => context.deadlineFromNow(),
      })
      context.answerBytes.raise(bytesOfCase)
      return { execution: hideError(execution, context), change: done }
    },
  }),
)

function readParams(given: GivenJson): JsonObject {
  const value = readJson(given, { pointer: '/params' })
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw invalidInput([{ pointer: '/params', detail: 'must be a JSON object' }])
}
