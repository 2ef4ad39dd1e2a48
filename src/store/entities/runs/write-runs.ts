import { type RunRow, type RunWrites, runInputTexts } from '../../../domain/runs/run-store.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import type { Dialect } from '../../dialect.ts'
import { all, unread, type Work } from '../../work.ts'
import type { StoredBytesCounter } from '../stored-bytes.ts'
import { type Source, toSource } from './run-sources.ts'
import { prepareRunWrites, type RunWriteStatements } from './run-statements.ts'

/**
 * Writes runs of an account, in a transaction that may do more. It locks the counter of runs until the commit, so it
 * comes last. A run has happened, so it is always stored, but without its texts if the account has no room for them.
 * `isFull` says so if the transaction knows it.
 */
export type WriteRuns = (
  accountCode: string,
  gateway: string,
  writes: RunWrites,
  isFull?: boolean | undefined,
) => Work<void>

interface Dependencies {
  readonly dialect: Dialect
  readonly stored: StoredBytesCounter
}

/** Assigns ids without gaps, in the transaction of the rows, so that the newest `n` are known by their ids. */
export function createWriteRuns({ dialect, stored }: Dependencies): WriteRuns {
  const statements = prepareRunWrites(dialect)
  return function* writeRuns(accountCode, gateway, writes, isFull) {
    if (writes.inserts.length + writes.ends.length === 0) return
    const { inserts, ends } = (isFull ?? (yield* stored.isFull(accountCode))) ? withoutTexts(writes) : writes
    // A deletion of runs locks their rows before the counters too.
    if (ends.length > 0) yield* endRuns(statements, accountCode, ends)
    if (inserts.length > 0) yield* insertRuns(statements, { accountCode, gateway, runs: inserts })
  }
}

const noInputs = Object.fromEntries(runInputTexts.map(kind => [kind, null]))

// The input of a run that has ended may be in the store already.
function withoutTexts({ inserts, ends }: RunWrites): RunWrites {
  return {
    inserts: inserts.map(run => ({ ...run, texts: {}, textBytes: {} })),
    ends: ends.map(run => ({ ...run, texts: {}, textBytes: pickInputs(run.textBytes) })),
  }
}

function pickInputs(given: RunRow['textBytes']): RunRow['textBytes'] {
  const kept = runInputTexts.flatMap(kind => {
    const bytes = given[kind]
    return bytes === undefined ? [] : [[kind, bytes] as const]
  })
  return Object.fromEntries(kept)
}

interface NewRuns {
  readonly accountCode: string
  readonly gateway: string
  readonly runs: readonly RunRow[]
}

function* insertRuns(
  { insertAll, keepSources, runs: list, inputs, outputs, ...statements }: RunWriteStatements,
  { accountCode, gateway, runs }: NewRuns,
): Work<void> {
  let bytesBefore = 0
  const rows = runs.map((run, index) => {
    const row = { ...run, id: index + 1, bytesBefore }
    bytesBefore += bytesOf([run])
    return row
  })
  const texts = toTexts(rows)
  const inserted = yield* all(insertAll, {
    accountCode,
    count: rows.length,
    bytes: bytesBefore,
    storedBytes: bytesBefore + rows.length * storedRowBytes,
    ...list.encode(rows.map(row => toColumns(row, gateway))),
    ...inputs.encode(texts.inputs),
    ...outputs.encode(texts.outputs),
  })
  yield* keepSources(accountCode, texts.sources)
  if (inserted.length === rows.length) return
  // The other runs are already in the store, from a commit whose answer was lost, or were ended just now.
  const runIds = new Set(inserted.map(({ runId }) => runId))
  const others = runs.filter(({ runId }) => !runIds.has(runId))
  const storedBytes = -bytesOf(others) - others.length * storedRowBytes
  yield* unread(statements.countBytes, { accountCode, bytes: 0, storedBytes })
  for (const remove of statements.removeStray) yield* unread(remove, { accountCode, count: rows.length })
}

/** Returns the stored bytes of the texts of runs, those of their sources included. */
export function measureTexts(runs: readonly Pick<RunRow, 'textBytes'>[]): number {
  const sizes = runs.flatMap(({ textBytes }) => Object.values(textBytes))
  return sizes.reduce((sum, size) => sum + size, 0)
}

type NumberedRun = RunRow & { readonly id: number; readonly bytesBefore: number }

// Without their sources, which many runs may share.
function bytesOf(runs: readonly Pick<RunRow, 'textBytes'>[]): number {
  return measureTexts(runs.map(({ textBytes: { source: _, ...textBytes } }) => ({ textBytes })))
}

function* endRuns(statements: RunWriteStatements, accountCode: string, ends: readonly RunRow[]): Work<void> {
  const given = ends.map(run => toColumns({ ...run, id: 0, bytesBefore: 0 }, ''))
  const ended = yield* all(statements.end, { accountCode, ...statements.runs.encode(given) })
  const ids = new Map(ended.map(({ id, runId }) => [runId, id]))
  // A missing run was deleted for its age, or ended in a commit whose answer was lost.
  const rows = ends.flatMap(run => {
    const id = ids.get(run.runId)
    return id === undefined ? [] : [{ ...run, id, texts: { ...run.texts, ...noInputs } }]
  })
  if (rows.length === 0) return
  const { inputs, outputs } = toTexts(rows)
  const { insertInputs, insertOutputs } = statements
  // Their inputs were counted when they were inserted.
  const bytes = bytesOf(rows) - bytesOf(rows.map(run => ({ textBytes: pickInputs(run.textBytes) })))
  yield* unread(statements.countBytes, { accountCode, bytes, storedBytes: bytes })
  if (inputs.length > 0) yield* unread(insertInputs, { accountCode, ...statements.inputs.encode(inputs) })
  if (outputs.length > 0) yield* unread(insertOutputs, { accountCode, ...statements.outputs.encode(outputs) })
}

/** The rows of long values. A run without any has none. Each source comes once. */
function toTexts(
  rows: readonly {
    readonly id: number
    readonly startedAt: number
    readonly texts: Readonly<Partial<Record<string, string | null>>>
  }[],
) {
  const sources = new Map<string, Source>()
  const given = rows.map(({ id, startedAt, texts }) => {
    const { input = null, options = null, source = null, payload = null, message = null } = texts
    const { error = null, logs = null, calls = null } = texts
    const sent = source === null ? null : toSource(source)
    if (sent !== null) sources.set(sent.hash, sent)
    const sourceHash = sent?.hash ?? null
    return { id, startedAt, input, options, sourceHash, payload, message, error, logs, calls }
  })
  return {
    sources: [...sources.values()],
    inputs: given.filter(({ input, options, sourceHash }) =>
      [input, options, sourceHash].some(text => text !== null),
    ),
    outputs: given.filter(({ payload, message, error, logs, calls }) =>
      [payload, message, error, logs, calls].some(text => text !== null),
    ),
  }
}

function toColumns({ texts: _, durationMs: duration, ...run }: NumberedRun, gateway: string) {
  return { ...run, duration, gateway }
}
