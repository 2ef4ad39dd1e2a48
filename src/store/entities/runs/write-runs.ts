import type { RunRow, RunWrites } from '../../../domain/runs/run-store.ts'
import type { Dialect } from '../../dialect.ts'
import { all, type Work } from '../../work.ts'
import type { Parts } from '../entities.ts'
import { prepareRunWrites, type RunWriteStatements } from './run-statements.ts'

/**
 * Writes runs of an account, in a transaction that may do more. It locks the counter of runs until the commit, so it
 * comes last.
 */
export type WriteRuns = (accountCode: string, gateway: string, writes: RunWrites) => Work<void>

/** `takeNumbers` for the transaction of the rows: ids without gaps, so that the newest `n` are known by their ids. */
export function createWriteRuns(
  dialect: Dialect,
  { provision, takeNumbers }: Pick<Parts, 'provision' | 'takeNumbers'>,
): WriteRuns {
  const statements = prepareRunWrites(dialect)
  return function* writeRuns(accountCode, gateway, { inserts, ends }) {
    if (inserts.length > 0) yield* provision.account(accountCode)
    const bytes = bytesOf(inserts) + bytesOf(ends)
    let bytesBefore = (yield* takeNumbers(accountCode, 'run byte', bytes)) - 1
    if (inserts.length > 0) {
      const first = yield* takeNumbers(accountCode, 'run', inserts.length)
      const rows = inserts.map((run, index) => {
        const row = { ...run, id: first + index, bytesBefore }
        bytesBefore += bytesOf([run])
        return row
      })
      yield* all(statements.insert, {
        accountCode,
        ...statements.runs.encode(rows.map(row => toColumns(row, gateway))),
      })
      yield* insertTexts(statements, accountCode, rows)
    }
    if (ends.length > 0) yield* endRuns(statements, accountCode, ends)
  }
}

type NumberedRun = RunRow & { readonly id: number; readonly bytesBefore: number }

function bytesOf(runs: readonly RunRow[]): number {
  const sizes = runs.flatMap(({ textBytes }) => Object.values(textBytes))
  return sizes.reduce((sum, size) => sum + size, 0)
}

function* endRuns(statements: RunWriteStatements, accountCode: string, ends: readonly RunRow[]): Work<void> {
  const given = ends.map(run => toColumns({ ...run, id: 0, bytesBefore: 0 }, ''))
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
  rows: readonly {
    readonly id: number
    readonly startedAt: number
    readonly texts: Readonly<Partial<Record<string, string | null>>>
  }[],
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
