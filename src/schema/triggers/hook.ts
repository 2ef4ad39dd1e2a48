import { parseId, parseOptionalId } from '../../domain/id.ts'
import type { Hook as HookRow } from '../../domain/triggers/trigger-store.ts'
import { builder } from '../builder.ts'
import { triggerOfQueuedRun } from '../queue/queued-run.ts'
import { QueuedRun } from '../refs.ts'
import { HookEvent } from '../runs/run-enums.ts'
import { readGivenTrigger, readTriggerFilter } from './given-trigger.ts'
import {
  costOfTriggers,
  triggerFields,
  triggerFilterArgs,
  triggerInputFields,
  triggerText,
} from './trigger-fields.ts'

const Hook = builder.objectRef<HookRow>('Hook').implement({
  description: 'Runs a function when a case of a type is saved or deleted.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the hook.' }),
    caseTypeCode: t.exposeString('caseTypeCode', { description: triggerText.caseTypeCode }),
    event: t.expose('event', { type: HookEvent, description: 'When it runs.' }),
    ...triggerFields(t),
    position: t.exposeInt('position', {
      description: 'Hooks of an event run in ascending position, then id.',
    }),
  }),
})

builder.objectField(QueuedRun, 'hook', t => t.field({ type: Hook, ...triggerOfQueuedRun('hook') }))

const SaveHookInput = builder.inputType('SaveHookInput', {
  description: `A hook. ${triggerText.input}`,
  fields: t => ({
    id: t.id({ description: 'Id of the hook to change. Without one a hook is created.' }),
    caseTypeCode: t.string({ description: `${triggerText.caseTypeCode} ${triggerText.required}` }),
    event: t.field({ type: HookEvent, description: `When it runs. ${triggerText.required}` }),
    ...triggerInputFields(t),
    position: t.int({
      description: 'Hooks of an event run in ascending position, then id. Default for a new one: 0.',
    }),
  }),
})

builder.queryField('hooks', t =>
  t.field({
    description: 'The hooks of a case type, of a function, or all, in ascending position, then id.',
    type: [Hook],
    scope: 'functions:read',
    extensions: costOfTriggers,
    args: triggerFilterArgs(t.arg),
    resolve: (_root, args, { caller, services }) =>
      services.hooks.list(caller.accountCode, readTriggerFilter(args)),
  }),
)

builder.mutationFields(t => ({
  saveHook: t.field({
    description:
      'Creates or changes a hook, from the next save on. A change keeps what is left out.\n\n' +
      '`NOT_FOUND` for an unknown hook or function, `FORBIDDEN` for a scope that your credential lacks.\n' +
      '`CONFLICT` at 10 hooks of a case type and event.',
    type: Hook,
    nullable: true,
    scope: 'functions:write',
    args: { input: t.arg({ type: SaveHookInput, required: true, description: 'The hook.' }) },
    resolve: (_root, { input }, { origin, caller, services }) => {
      const id = parseOptionalId(input.id, 'hook id')
      return services.hooks.save(origin, id, readGivenTrigger(input, caller))
    },
  }),
  removeHook: t.field({
    description: 'Removes a hook and returns it as it was. Its queued runs stay. `NOT_FOUND`.',
    type: Hook,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the hook.' }) },
    resolve: (_root, { id }, { origin, services }) => services.hooks.remove(origin, parseId(id, 'hook id')),
  }),
}))
