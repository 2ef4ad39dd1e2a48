import { parseId, parseOptionalId } from '../../domain/id.ts'
import { nameForm } from '../../domain/name.ts'
import type { CaseTask as CaseTaskRow } from '../../domain/triggers/trigger-store.ts'
import { builder } from '../builder.ts'
import { readGivenTrigger, readTriggerFilter } from './given-trigger.ts'
import {
  costOfTriggers,
  triggerFields,
  triggerFilterArgs,
  triggerInputFields,
  triggerText,
} from './trigger-fields.ts'

const CaseTask = builder.objectRef<CaseTaskRow>('CaseTask').implement({
  description: 'A function that a user can run on a case of a type.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the task.' }),
    caseTypeCode: t.exposeString('caseTypeCode', { description: triggerText.caseTypeCode }),
    name: t.exposeString('name', { description: 'Name of the task, unique in the case type.' }),
    ...triggerFields(t),
  }),
})

const SaveCaseTaskInput = builder.inputType('SaveCaseTaskInput', {
  description: `A case task. ${triggerText.input}`,
  fields: t => ({
    id: t.id({ description: 'Id of the task to change. Without one a task is created.' }),
    caseTypeCode: t.string({ description: `${triggerText.caseTypeCode} ${triggerText.required}` }),
    name: t.string({
      description: `Name: ${nameForm}. ${triggerText.required}`,
    }),
    ...triggerInputFields(t),
  }),
})

builder.queryField('caseTasks', t =>
  t.field({
    description: 'The tasks of a case type, of a function, or all, in ascending id.',
    type: [CaseTask],
    scope: 'functions:read',
    extensions: costOfTriggers,
    args: triggerFilterArgs(t.arg),
    resolve: (_root, args, { caller, services }) =>
      services.caseTasks.list(caller.accountCode, readTriggerFilter(args)),
  }),
)

builder.mutationFields(t => ({
  saveCaseTask: t.field({
    description:
      'Creates or changes a case task. A change keeps what is left out.\n\n' +
      '`NOT_FOUND` for an unknown task or function, `FORBIDDEN` for a scope that your credential lacks.\n' +
      '`CONFLICT` for the name of another task, and at 50 tasks of a case type.',
    type: CaseTask,
    nullable: true,
    scope: 'functions:write',
    args: { input: t.arg({ type: SaveCaseTaskInput, required: true, description: 'The task.' }) },
    resolve: (_root, { input }, { origin, caller, services }) => {
      const id = parseOptionalId(input.id, 'case task id')
      return services.caseTasks.save(origin, id, readGivenTrigger(input, caller))
    },
  }),
  removeCaseTask: t.field({
    description: 'Removes a case task and returns it as it was. `NOT_FOUND`.',
    type: CaseTask,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the task.' }) },
    resolve: (_root, { id }, { origin, services }) =>
      services.caseTasks.remove(origin, parseId(id, 'case task id')),
  }),
}))
