import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { CaseTask, FunctionRef } from '../refs.ts'
import { costOfRecord, costOfText } from '../relay/field-cost.ts'
import { checkScopes } from './check-scopes.ts'
import { costOfTriggers, functionOf, ofTrigger } from './trigger-fields.ts'

CaseTask.implement({
  description: 'A function that a user can run on a case of a type.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the task.' }),
    caseTypeCode: t.exposeString('caseTypeCode', { description: ofTrigger.caseTypeCode }),
    name: t.exposeString('name', { description: 'Name of the task, unique in the case type.' }),
    function: t.field({
      type: FunctionRef,
      description: ofTrigger.functionId,
      scope: 'functions:read',
      extensions: costOfRecord,
      resolve: functionOf,
    }),
    scopes: t.exposeStringList('scopes', { description: ofTrigger.scopes, extensions: costOfText }),
    enabled: t.exposeBoolean('enabled', { description: ofTrigger.enabled }),
  }),
})

const SaveCaseTaskInput = builder.inputType('SaveCaseTaskInput', {
  description: 'A case task.',
  fields: t => ({
    id: t.id({ description: 'Id of the task to change. Without one a task is created.' }),
    caseTypeCode: t.string({ required: true, description: ofTrigger.caseTypeCode }),
    name: t.string({
      required: true,
      description: 'Name: at most 64 letters, digits, `.`, `_` and `-`, unique in the case type.',
    }),
    functionId: t.id({ required: true, description: ofTrigger.functionId }),
    scopes: t.stringList({ required: true, defaultValue: [], description: ofTrigger.givenScopes }),
    enabled: t.boolean({ required: true, defaultValue: true, description: ofTrigger.enabled }),
  }),
})

builder.queryField('caseTasks', t =>
  t.field({
    description: 'The tasks of a case type, or of all, in ascending id.',
    type: [CaseTask],
    scope: 'functions:read',
    extensions: costOfTriggers,
    args: { caseTypeCode: t.arg.string({ description: ofTrigger.listed }) },
    resolve: (_root, { caseTypeCode }, { caller, caseTasks }) =>
      caseTasks.list(caller.accountCode, caseTypeCode ?? null),
  }),
)

builder.mutationFields(t => ({
  saveCaseTask: t.field({
    description:
      'Creates or changes a case task.\n\n' +
      '`NOT_FOUND` for an unknown task or function, `FORBIDDEN` for a scope that your credential lacks.\n' +
      '`CONFLICT` for the name of another task, and at 50 tasks of a case type.',
    type: CaseTask,
    nullable: true,
    scope: 'functions:write',
    args: { input: t.arg({ type: SaveCaseTaskInput, required: true, description: 'The task.' }) },
    resolve: async (_root, { input: { id, functionId, scopes, ...given } }, context) => {
      const { caller, caseTasks, loaders } = context
      const task = {
        ...given,
        functionId: parseId(functionId, 'function id'),
        scopes: checkScopes(caller, scopes),
      }
      const saved = await caseTasks.save(
        context.origin,
        id == null ? null : parseId(id, 'case task id'),
        task,
      )
      loaders.clear()
      return saved
    },
  }),
  removeCaseTask: t.field({
    description: 'Removes a case task and returns it as it was. `NOT_FOUND`.',
    type: CaseTask,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the task.' }) },
    resolve: async (_root, { id }, { origin, caseTasks, loaders }) => {
      const removed = await caseTasks.remove(origin, parseId(id, 'case task id'))
      loaders.clear()
      return removed
    },
  }),
}))
