import type { RunStats as Stats } from '../../domain/runs/run-stats.ts'
import { builder } from '../builder.ts'
import { cost } from '../relay/field-cost.ts'
import { TaskOutcome } from '../scripts/task-execution.ts'
import { RunFilter, readFilter } from './run-queries.ts'

// It may look at 10,000 rows, in ten turns of the account.
const costOfStats = cost({ kind: 'fixed', cost: 20_000 })
const costOfMinutes = cost({ kind: 'list', maxItems: 61 })
const costOfOutcomes = cost({ kind: 'list', maxItems: 3 })

const RunMinute = builder.objectRef<Stats['minutes'][number]>('RunMinute').implement({
  description: 'A minute in which runs started.',
  fields: t => ({
    at: t.expose('at', { type: 'DateTime', description: 'Its beginning.' }),
    runs: t.exposeInt('runs', { description: 'The number of runs.' }),
  }),
})

const RunOutcomeCount = builder.objectRef<Stats['outcomes'][number]>('RunOutcomeCount').implement({
  description: 'How many runs ended in one way.',
  fields: t => ({
    outcome: t.expose('outcome', {
      type: TaskOutcome,
      description: 'How they ended.',
    }),
    runs: t.exposeInt('runs', { description: 'The number of runs.' }),
  }),
})

const RunStats = builder.objectRef<Stats>('RunStats').implement({
  description: 'Figures about the runs that started in the last hour.',
  fields: t => ({
    minutes: t.expose('minutes', {
      type: [RunMinute],
      description: 'The minutes in which runs started, oldest first.',
      extensions: costOfMinutes,
    }),
    outcomes: t.expose('outcomes', {
      type: [RunOutcomeCount],
      description: 'Each outcome.',
      extensions: costOfOutcomes,
    }),
    p50Ms: t.exposeFloat('p50Ms', {
      nullable: true,
      description: 'Half of the runs took this long or less, in milliseconds; null if none has ended.',
    }),
    p95Ms: t.exposeFloat('p95Ms', { nullable: true, description: 'The same for 95 % of the runs.' }),
    p99Ms: t.exposeFloat('p99Ms', { nullable: true, description: 'The same for 99 % of the runs.' }),
    counted: t.exposeInt('counted', { description: 'The number of runs.' }),
    isComplete: t.exposeBoolean('isComplete', {
      description:
        'False if runs of the last hour may be missing: only the newest 10,000 runs are looked at.',
    }),
  }),
})

builder.queryField('runStats', t =>
  t.field({
    description: 'Figures about the runs of the last hour. The same figures are returned for some seconds.',
    type: RunStats,
    scope: 'runs:read',
    extensions: costOfStats,
    args: { filter: t.arg({ type: RunFilter, description: 'Which runs. Default: all.' }) },
    resolve: (_root, { filter }, { caller, services }) =>
      services.runs.stats({
        accountCode: caller.accountCode,
        filter: readFilter(filter ?? {}),
        text: filter?.text || null,
      }),
  }),
)
