import type { RequestContext } from '../../context.ts'
import type { QueuedRun as QueuedRunRow } from '../../domain/queue/queue-store.ts'
import type { QueuedTrigger } from '../../domain/scripts/trigger-kinds.ts'
import { builder } from '../builder.ts'
import { QueuedRun, Run } from '../refs.ts'
import { cost, costOfCounted, costOfRecord, costOfText } from '../relay/field-cost.ts'
import { newestPage } from '../relay/list-page.ts'
import { RunTrigger } from '../runs/run-enums.ts'
import { hideErrorOf } from '../scripts/hide-error.ts'
import { TaskErrorRef } from '../scripts/task-execution.ts'

const maxAttempts = 10

export const QueuedRunState = builder.enumType('QueuedRunState', {
  description: 'State of a queued run.',
  values: {
    WAITING: {
      value: 'waiting',
      description: 'It waits until it is due, or for an earlier run of its hook and case.',
    },
    RUNNING: { value: 'running', description: 'A gateway runs it.' },
    DEAD: { value: 'dead', description: 'It failed and is not tried again, unless you retry it.' },
  } as const,
})

QueuedRun.implement({
  description: 'A run that is stored until it has ended.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the queued run.' }),
    trigger: t.expose('trigger', { type: RunTrigger, description: 'What queued it.' }),
    caseId: t.exposeID('caseId', { nullable: true, description: 'Id of the case; null without one.' }),
    caseVersion: t.exposeInt('caseVersion', {
      nullable: true,
      description: 'Version of the case that was committed with it; null without a case.',
    }),
    txnID: t.exposeString('txnId', { description: 'Its transaction.', extensions: costOfText }),
    state: t.expose('state', { type: QueuedRunState, description: 'Its state.' }),
    attempt: t.exposeInt('attempt', {
      description: 'The attempt that runs or comes next, from 1; of a dead one the last.',
    }),
    dueAt: t.expose('dueAt', {
      type: 'DateTime',
      description: 'Not run before this time.',
    }),
    lastError: t.field({
      type: TaskErrorRef,
      nullable: true,
      description:
        'What went wrong last; the message of `fail` if the script called it. Up to 4,096 characters.',
      extensions: costOfCounted,
      resolve({ lastError, name }, _args, context) {
        if (lastError === null) return null
        context.answerBytes.add(Buffer.byteLength(lastError.message + lastError.stack))
        return hideErrorOf({ id: null, name }, lastError, context)
      },
    }),
    runs: t.field({
      type: [Run],
      description: `Its last ${maxAttempts} attempts that are kept, the oldest first.`,
      scope: 'runs:read',
      extensions: cost({ kind: 'list', maxItems: maxAttempts }),
      resolve: ({ id }, _args, { loaders }) => loaders.attemptsOf(id, newestPage(null, maxAttempts)),
    }),
  }),
})

/** The field that shows the trigger of a queued run, for a kind of trigger. Null for other kinds. */
export function triggerOfQueuedRun<Trigger extends QueuedTrigger>(kind: Trigger) {
  return {
    nullable: true,
    description: `The ${kind}; null for other triggers, or once it is removed.`,
    scope: 'functions:read',
    extensions: costOfRecord,
    resolve: ({ trigger, triggerId }: QueuedRunRow, _args: object, { loaders }: RequestContext) =>
      trigger === kind ? loaders.trigger(kind).load(triggerId) : null,
  } as const
}
