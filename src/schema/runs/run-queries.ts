import { parseOptionalId } from '../../domain/id.ts'
import { allRuns, type RunFilter as Filter } from '../../domain/runs/run-store.ts'
import { isGuid } from '../../guid.ts'
import { builder } from '../builder.ts'
import { Case, FunctionRef, Run } from '../refs.ts'
import { runCursors } from '../relay/cursor.ts'
import { costOfRecord } from '../relay/field-cost.ts'
import { listArguments, resolveList, resolveNewest } from '../relay/list-page.ts'
import { costOfPage, costOfSearch } from '../relay/page-size.ts'
import { TaskOutcome } from '../scripts/task-execution.ts'
import { RunState, RunTrigger } from './run-enums.ts'

const RunConnection = builder.connectionObject(
  { name: 'RunConnection', description: 'A page of runs, newest first.', type: Run },
  { name: 'RunEdge', description: 'A run and its cursor.' },
)

export const RunFilter = builder.inputType('RunFilter', {
  description: 'Runs that satisfy each given member.',
  fields: t => ({
    functionId: t.id({ description: 'Id of the function.' }),
    functionVersion: t.id({ description: 'Hash of the version.' }),
    trigger: t.field({ type: RunTrigger, description: 'What ran it.' }),
    caseId: t.id({ description: 'Id of the case.' }),
    txnID: t.string({ description: 'Its transaction.' }),
    outcome: t.field({ type: TaskOutcome, description: 'How it ended.' }),
    state: t.field({ type: RunState, description: 'Its state.' }),
    text: t.string({
      description:
        'The id of a run, of a transaction or of a case, found exactly. If no run has such an id, the beginning of\n' +
        'its name.',
    }),
    replayOf: t.id({ description: 'Id of the run that they replay.' }),
    startedAfter: t.field({ type: 'DateTime', description: 'It started after this time.' }),
    startedBefore: t.field({ type: 'DateTime', description: 'It started before this time.' }),
  }),
})

builder.queryFields(t => ({
  run: t.field({
    description: 'The run with this id; null if the account has none, or it is not kept any more.',
    type: Run,
    nullable: true,
    scope: 'runs:read',
    extensions: costOfRecord,
    args: { id: t.arg.id({ required: true, description: 'Id of the run, as in its execution.' }) },
    resolve: (_root, { id }, { loaders }) => (isGuid(id) ? loaders.run(id) : null),
  }),
  runs: t.field({
    description: 'The runs that are kept, newest first.',
    type: RunConnection,
    scope: 'runs:read',
    extensions: costOfSearch('filter', [
      'functionId',
      'functionVersion',
      'caseId',
      'txnID',
      'replayOf',
      'outcome',
      'state',
    ]),
    args: {
      filter: t.arg({ type: RunFilter, description: 'Which runs. Default: all.' }),
      ...listArguments,
    },
    resolve: (_root, { filter, ...given }, { caller, services, signal }) =>
      resolveList(given, {
        cursors: runCursors,
        read: (before, limit) =>
          services.runs.list({
            accountCode: caller.accountCode,
            filter: readFilter(filter ?? {}),
            text: filter?.text || null,
            before,
            limit,
            signal,
          }),
      }),
  }),
}))

builder.objectField(FunctionRef, 'runs', t =>
  t.field({
    description: 'Its runs, newest first.',
    type: RunConnection,
    scope: 'runs:read',
    extensions: costOfPage,
    args: listArguments,
    resolve: ({ id }, given, { loaders }) =>
      resolveNewest(given, { cursors: runCursors, load: page => loaders.runsOfFunction(id, page) }),
  }),
)

builder.objectField(Case, 'runs', t =>
  t.field({
    description: 'The runs of its hooks and tasks, newest first.',
    type: RunConnection,
    scope: 'runs:read',
    extensions: costOfPage,
    args: listArguments,
    resolve: ({ id }, given, { loaders }) =>
      resolveNewest(given, { cursors: runCursors, load: page => loaders.runsOfCase(id, page) }),
  }),
)

/** Reads all members but `text`, which needs the store. Throws `BAD_USER_INPUT` for a bad id. */
export function readFilter(given: typeof RunFilter.$inferInput): Filter {
  const { functionId, caseId, txnID, startedAfter, startedBefore } = given
  return {
    ...allRuns,
    functionId: parseOptionalId(functionId, 'function id'),
    functionVersion: given.functionVersion ?? null,
    trigger: given.trigger ?? null,
    caseId: parseOptionalId(caseId, 'case id'),
    txnId: txnID ?? null,
    outcome: given.outcome ?? null,
    state: given.state ?? null,
    replayOf: given.replayOf ?? null,
    startedAfter: startedAfter?.getTime() ?? null,
    startedBefore: startedBefore?.getTime() ?? null,
  }
}
