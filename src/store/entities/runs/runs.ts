import type { RunHookEvent, RunOutcome, RunState, RunTrigger } from '../../../domain/runs/run-record.ts'
import type { KeptRun, RunRow, RunStore } from '../../../domain/runs/run-store.ts'
import type { Database } from '../../database.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import type { RowOf } from '../../tables/tables-of.ts'
import { all, type Work } from '../../work.ts'
import type { Parts } from '../entities.ts'
import { createFindRuns } from './find-runs.ts'
import { prepareRunWrites, type RunWriteStatements, selectRun } from './run-statements.ts'
import { createSweeping } from './sweep-runs.ts'

/** `takeNumbers` for the transaction of the rows: ids without gaps, so that the newest `n` are known by their ids. */
export function createRunStore(database: Database, { provision, takeNumbers }: Parts): RunStore {
  const { write, tables, isShared } = database
  const statements = prepareRunWrites(database)
  const selection = selectRun(database)
  const page = createPageByParent(database, { table: tables.runs, parent: 'functionId', selection })
  return {
    isShared,
    ...createFindRuns(database),
    ...createSweeping(database),
    write: (accountCode, gateway, { inserts, ends }) =>
      write(accountCode, function* () {
        if (inserts.length > 0) {
          yield* provision.account(accountCode)
          const first = yield* takeNumbers(accountCode, 'run', inserts.length)
          const rows = inserts.map((run, index) => ({ ...run, id: first + index }))
          yield* all(statements.insert, {
            accountCode,
            ...statements.runs.encode(rows.map(row => toColumns(row, gateway))),
          })
          yield* insertTexts(statements, accountCode, rows)
        }
        if (ends.length > 0) yield* endRuns(statements, accountCode, ends)
      }),
    pageByFunctions: async (accountCode, functionIds, given) =>
      (await page(accountCode, functionIds, given)).map(toRun),
  }
}

type NumberedRun = RunRow & { readonly id: number }

function* endRuns(statements: RunWriteStatements, accountCode: string, ends: readonly RunRow[]): Work<void> {
  const given = ends.map(run => toColumns({ ...run, id: 0 }, ''))
  const ended = yield* all(statements.end, { accountCode, ...statements.runs.encode(given) })
  const ids = new Map(ended.map(({ id, runId }) => [runId, id]))
  // One that is missing has been deleted for its age.
  const rows = ends.flatMap(run => {
    const id = ids.get(run.runId)
    return id === undefined ? [] : [{ ...run, id, texts: { ...run.texts, input: null, options: null } }]
  })
  yield* insertTexts(statements, accountCode, rows)
}

function* insertTexts(
  { insertInputs, insertOutputs, inputs, outputs }: RunWriteStatements,
  accountCode: string,
  rows: readonly (Omit<NumberedRun, 'texts'> & {
    readonly texts: Readonly<Partial<Record<string, string | null>>>
  })[],
): Work<void> {
  const given = rows.map(({ id, startedAt, texts }) => {
    const { input = null, options = null, payload = null, message = null, error = null, logs = null } = texts
    return { id, startedAt, input, options, payload, message, error, logs }
  })
  const withInput = given.filter(({ input, options }) => input !== null || options !== null)
  if (withInput.length > 0) yield* all(insertInputs, { accountCode, ...inputs.encode(withInput) })
  const withOutput = given.filter(({ payload, message, error, logs }) =>
    [payload, message, error, logs].some(text => text !== null),
  )
  if (withOutput.length > 0) yield* all(insertOutputs, { accountCode, ...outputs.encode(withOutput) })
}

function toColumns({ texts: _, ...run }: NumberedRun, gateway: string) {
  return {
    ...run,
    gateway,
    name: JSON.stringify(run.name),
    txnSource: JSON.stringify(run.txnSource),
    scopes: run.scopes.join(' '),
    duration: run.durationMs === null ? null : Math.round(run.durationMs * 10),
    dryRun: run.dryRun ? 1 : 0,
    textBytes: JSON.stringify(run.textBytes),
  }
}

/** A row of `selectRun` as a run. */
export function toRun({ duration, ...row }: RowOf<ReturnType<typeof selectRun>>): KeptRun {
  return {
    ...row,
    trigger: row.trigger as RunTrigger,
    event: row.event as RunHookEvent | null,
    state: row.state as RunState,
    outcome: row.outcome as RunOutcome | null,
    name: JSON.parse(row.name),
    txnSource: JSON.parse(row.txnSource),
    scopes: row.scopes === '' ? [] : row.scopes.split(' '),
    durationMs: duration === null ? null : duration / 10,
    dryRun: row.dryRun === 1,
    textBytes: JSON.parse(row.textBytes),
  }
}
