import { parseId } from '../../domain/id.ts'
import type { QueuedRun as QueuedRunRow } from '../../domain/queue/queue-store.ts'
import { maxRetriedAtOnce } from '../../domain/queue/queued-runs.ts'
import { maxWaiting } from '../../domain/queue/waiting-limits.ts'
import { type QueuedTrigger, queuedTriggers } from '../../domain/scripts/trigger-kinds.ts'
import { loadOnce } from '../../load-once.ts'
import { builder } from '../builder.ts'
import { QueuedRun } from '../refs.ts'
import { queuedRunCursors } from '../relay/cursor.ts'
import { cost } from '../relay/field-cost.ts'
import { listArguments, resolveList } from '../relay/list-page.ts'
import { costOfPage } from '../relay/page-size.ts'
import { QueuedRunState } from './queued-run.ts'

type ListedPage = Awaited<ReturnType<typeof resolveList<QueuedRunRow>>>

interface CountedPage extends ListedPage {
  /** Counts once, however many aliases ask for it. */
  readonly count: () => Promise<number>
}

const QueuedRunConnection = builder.connectionObject<typeof QueuedRun, CountedPage>(
  {
    name: 'QueuedRunConnection',
    description: 'A page of queued runs, the oldest first.',
    type: QueuedRun,
    fields: t => ({
      totalCount: t.int({
        description: 'Number of runs on all pages.',
        // Reads 20,000 entries of an index if all places of the queue are taken, which takes 1 ms.
        extensions: cost({ kind: 'fixed', cost: 500 }),
        resolve: ({ count }) => count(),
      }),
    }),
  },
  { name: 'QueuedRunEdge', description: 'A queued run and its cursor.' },
)

type IdName = `${QueuedTrigger}Id`

// An argument for the id of each kind of trigger that queues runs.
function perTrigger<Argument>(
  describe: (kind: QueuedTrigger) => Argument,
): Readonly<Record<IdName, Argument>> {
  const entries = queuedTriggers.map(kind => [`${kind}Id`, describe(kind)])
  return Object.fromEntries(entries) as Record<IdName, Argument>
}

const idNames = queuedTriggers.map(kind => `\`${kind}Id\``)

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
    resolve: async (_root, { state = null, ...given }, { caller: { accountCode }, services }) => {
      const page = await resolveList(given, {
        cursors: queuedRunCursors,
        read: (from, limit) => services.queuedRuns.list(accountCode, state, from ?? 0, limit),
      })
      const count = loadOnce(() => services.queuedRuns.count(accountCode, state))
      return { ...page, count } satisfies CountedPage
    },
  }),
}))

const manyWaiting = maxWaiting.toLocaleString('en-US')

builder.mutationFields(t => ({
  retryQueuedRun: t.field({
    description:
      'Makes a dead queued run wait again, from attempt 1, and a waiting one due now. One that waits for an earlier\n' +
      'run of its hook and case still runs after that.\n\n' +
      `\`NOT_FOUND\`; \`CONFLICT\` while it runs; \`OVERLOADED\` for a dead one at ${manyWaiting} waiting runs.`,
    type: QueuedRun,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the queued run.' }) },
    resolve: (_root, { id }, { services, origin }) =>
      services.queuedRuns.retry(origin, parseId(id, 'queued run id')),
  }),
  retryQueuedRuns: t.field({
    description:
      'Makes the oldest dead queued runs wait again, from attempt 1, and returns their number. It stops at\n' +
      `${manyWaiting} waiting runs. Runs of one hook and case run in their order.\n\n` +
      `\`BAD_USER_INPUT\` for ${idNames.join(' together with ')}.`,
    type: 'Int',
    scope: 'functions:write',
    extensions: cost({ kind: 'fixed', cost: 10_000 }),
    args: {
      ...perTrigger(kind => t.arg.id({ description: `Only runs of this ${kind}.` })),
      first: t.arg.int({
        required: true,
        defaultValue: maxRetriedAtOnce,
        description: `How many at most: from 1 to ${maxRetriedAtOnce}.`,
      }),
    },
    resolve: (_root, { first, ...given }, { services, origin }) => {
      const ids = queuedTriggers.flatMap(kind => {
        const id = given[`${kind}Id`]
        return id == null ? [] : { trigger: kind, triggerId: parseId(id, `${kind} id`) }
      })
      return services.queuedRuns.retryDead(origin, ids, first)
    },
  }),
  cancelQueuedRun: t.field({
    description:
      'Removes a waiting or dead queued run and returns it as it was. `NOT_FOUND`; `CONFLICT` while it runs.',
    type: QueuedRun,
    nullable: true,
    scope: 'functions:write',
    args: { id: t.arg.id({ required: true, description: 'Id of the queued run.' }) },
    resolve: (_root, { id }, { services, origin }) =>
      services.queuedRuns.cancel(origin, parseId(id, 'queued run id')),
  }),
}))
