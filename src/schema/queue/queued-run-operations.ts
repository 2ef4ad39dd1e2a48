import { parseId } from '../../domain/id.ts'
import type { QueuedRun as QueuedRunRow } from '../../domain/queue/queue-store.ts'
import { builder } from '../builder.ts'
import { QueuedRun } from '../refs.ts'
import { queuedRunCursors } from '../relay/cursor.ts'
import { listArguments, resolveList } from '../relay/list-page.ts'
import { costOfPage } from '../relay/page-size.ts'
import { QueuedRunState } from './queued-run.ts'

const QueuedRunConnection = builder.connectionObject(
  { name: 'QueuedRunConnection', description: 'A page of queued runs, the oldest first.', type: QueuedRun },
  { name: 'QueuedRunEdge', description: 'A queued run and its cursor.' },
)

builder.queryFields(t => ({
  queuedRuns: t.field({
    description: 'Runs that are queued, the oldest first.',
    type: QueuedRunConnection,
    scope: 'runs:read',
    extensions: costOfPage,
    args: {
      state: t.arg({ type: QueuedRunState, description: 'Only those in this state. Default: all.' }),
      ...listArguments,
    },
    resolve: (_root, { state, ...given }, { caller, queuedRuns }) =>
      resolveList(given, {
        cursors: queuedRunCursors,
        positionOf: ({ id }: QueuedRunRow) => id,
        read: (from, limit) => queuedRuns.list(caller.accountCode, state ?? null, from ?? 0, limit),
      }),
  }),
}))

builder.mutationFields(t => ({
  retryQueuedRun: t.field({
    description:
      'Makes a dead queued run wait again, from attempt 1.\n\n' +
      '`NOT_FOUND`; `CONFLICT` unless it is dead; `OVERLOADED` at 10,000 waiting runs.',
    type: QueuedRun,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the queued run.' }) },
    resolve: (_root, { id }, { queuedRuns, origin }) =>
      queuedRuns.retry(origin, parseId(id, 'queued run id')),
  }),
  cancelQueuedRun: t.field({
    description:
      'Removes a waiting or dead queued run and returns it as it was. `NOT_FOUND`; `CONFLICT` while it runs.',
    type: QueuedRun,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the queued run.' }) },
    resolve: (_root, { id }, { queuedRuns, origin }) =>
      queuedRuns.cancel(origin, parseId(id, 'queued run id')),
  }),
}))
