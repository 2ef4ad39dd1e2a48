import type { EndedRun } from '../../domain/runs/ended-runs.ts'
import { matchesFilter } from '../../domain/runs/match-filter.ts'
import { RostrumError } from '../../errors.ts'
import { builder } from '../builder.ts'
import { Run } from '../refs.ts'
import { refuseWithoutScope } from '../scopes/refuse-without-scope.ts'
import { RunFilter, readFilter } from './run-queries.ts'

const scope = 'runs:read'

builder.subscriptionField('runEnded', t =>
  t.field({
    description:
      'Each run that ends from now on, once. If runs end faster than they are read, one result has an error that\n' +
      'says so, and the stream goes on.',
    type: Run,
    scope,
    args: { filter: t.arg({ type: RunFilter, description: 'Which runs. Default: all.' }) },
    subscribe: (_root, { filter: given }, context) => {
      const { caller, services, signal, log } = context
      const filter = readFilter(given ?? {})
      const text = given?.text || null
      context.placeOf = ({ run }: EndedRun) => ({ runId: run?.runId ?? '' })
      return services.following.runs.follow({
        accountCode: caller.accountCode,
        after: null,
        signal,
        isWanted: ({ run }) => run === null || matchesFilter(run, filter, text),
        confirm: async () =>
          refuseWithoutScope(await context.confirmCaller(), scope, 'Subscription.runEnded'),
        onTrouble: err => log.warn({ err }, 'ended runs cannot be read; the stream waits'),
      })
    },
    resolve: ({ run }) => {
      if (run !== null) return run
      throw new RostrumError(
        'OVERLOADED',
        'The stream lags: some runs are left out. Query `runs` to see them.',
      )
    },
  }),
)
