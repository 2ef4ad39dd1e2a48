import { type SQL, sql } from 'drizzle-orm'
import type { RunStore } from '../../../domain/runs/run-store.ts'
import type { Database } from '../../database.ts'
import { type Dialect, placeholders, type Statement } from '../../dialect.ts'
import { numberOf, textOf } from '../../tables/tables-of.ts'
import { all, only, type Work } from '../../work.ts'
import { type FreedBytes, rowBytes, type StoredBytesCounter } from '../stored-bytes.ts'
import { prepareDeleteSources } from './run-sources.ts'

type Sweeping = Pick<
  RunStore,
  'readClock' | 'beat' | 'markLost' | 'deleteExpired' | 'deleteExpiredInputs' | 'deleteRemovedFunctions'
>

interface DeletedRow extends FreedBytes {
  /** The source that the row named; null for none. */
  readonly sourceHash: string | null
}

/** Sweeps the runs of all accounts. Gateways that do it at the same time skip each other's rows, or wait for them. */
export function createSweeping(database: Database, stored: StoredBytesCounter): Sweeping {
  const { read, write, isShared, list } = database
  const statements = prepareStatements(database)
  const gone = list('gone', { accountCode: 'text', id: 'integer' })
  const { accountCode } = database.tables.runs
  const noSource = sql`null`
  const deleteFrom = (table: string, bytes: SQL, { id = 'id', source = noSource } = {}) =>
    database.prepare(
      sql`delete from ${sql.raw(table)}
        where (account_code, ${sql.raw(id)}) in (select account_code, id from ${gone.rows})
        returning account_code, ${bytes}, ${source}`,
      { accountCode, bytes: numberOf(bytes), sourceHash: textOf(source) },
    )
  const inputs = [deleteFrom('run_inputs', bytesOf('input', 'options'), { source: sql`source_hash` })]
  const deleteSources = prepareDeleteSources(database)
  const outputs = deleteFrom('run_outputs', bytesOf('payload', 'message', 'error', 'logs', 'calls'))
  // The run comes first: if it is just ending, its lock lets the deletes after it see the values of its end.
  const wholeRuns = [deleteFrom('runs', rowBytes), ...inputs, outputs]
  const wholeFunctions = [
    deleteFrom('function_versions', sql`source_bytes + ${rowBytes}`, { id: 'function_id' }),
    deleteFrom('removed_functions', rowBytes),
  ]

  function* remove(
    rows: readonly { readonly accountCode: string; readonly id: number }[],
    deletes: readonly Statement<DeletedRow>[],
  ) {
    if (rows.length === 0) return 0
    const freed: DeletedRow[] = []
    for (const statement of deletes) freed.push(...(yield* all(statement, gone.encode(rows))))
    yield* stored.lower(freed)
    // After that lock, nobody else names a source of these accounts until the commit.
    yield* stored.lower(yield* deleteSources(freed))
    return rows.length
  }

  const sweep = (work: () => Work<number>) => write(null, work, { hasChanged: count => count > 0 })

  return {
    async readClock() {
      const [row] = await read(statements.readClock, {})
      return row?.now.getTime() ?? 0
    },
    beat: (gateway, leaseMs) =>
      write(null, function* (): Work<boolean> {
        if (!isShared) yield* all(statements.deleteGateways, {})
        yield* all(statements.beat, { gateway })
        yield* all(statements.setBack, { ageMs: leaseMs })
        yield* all(statements.deleteDeadGateways, { ageMs: -100 * leaseMs })
        const { id } = yield* only(statements.findFirst, { ageMs: -leaseMs })
        return id === gateway
      }),
    async markLost(leaseMs) {
      await write(null, () => all(statements.markLost, { ageMs: -leaseMs }), {
        hasChanged: rows => rows.length > 0,
      })
    },
    deleteExpired: ({ startedBefore, maxRuns, maxBytes }, limit) =>
      sweep(function* () {
        const old = yield* all(statements.findOld, { startedBefore, limit })
        const beyond = old.length > 0 ? old : yield* all(statements.findBeyond, { maxRuns, limit })
        const rows = beyond.length > 0 ? beyond : yield* all(statements.findLong, { maxBytes, limit })
        return yield* remove(rows, wholeRuns)
      }),
    deleteExpiredInputs: (startedBefore, limit) =>
      sweep(function* () {
        return yield* remove(yield* all(statements.findOldInputs, { startedBefore, limit }), inputs)
      }),
    deleteRemovedFunctions: (ageMs, limit) =>
      sweep(function* () {
        return yield* remove(yield* all(statements.findRemoved, { ageMs: -ageMs, limit }), wholeFunctions)
      }),
  }
}

const bytesOf = (...texts: readonly string[]) =>
  sql.raw(texts.map(text => `coalesce(octet_length(${text}), 0)`).join(' + '))

// The oldest runs of an account show whether it is over its byte limit.
const maxOldest = sql.raw('20')

const { gateway, ageMs, startedBefore, maxRuns, maxBytes, limit } = placeholders(
  'gateway',
  'ageMs',
  'startedBefore',
  'maxRuns',
  'maxBytes',
  'limit',
)

function prepareStatements({ prepare, now, nowPlus, skipLocked, typed, tables }: Dialect) {
  const { runs, gateways } = tables
  const row = { accountCode: runs.accountCode, id: runs.id }
  return {
    readClock: prepare(sql`select ${now}`, { now: gateways.seenAt }),
    deleteGateways: prepare(sql`delete from gateways where account_code = ''`),
    beat: prepare(
      sql`insert into gateways (account_code, id, seen_at) values ('', ${gateway}, ${now})
        on conflict (account_code, id) do update set seen_at = excluded.seen_at`,
    ),
    // After the clock was set back, a gateway that died before would count as alive for as long.
    setBack: prepare(
      sql`update gateways set seen_at = ${now} where account_code = '' and id in (
          select id from gateways where account_code = '' and seen_at > ${nowPlus(ageMs)} ${skipLocked}
        )`,
    ),
    deleteDeadGateways: prepare(
      sql`delete from gateways where account_code = '' and seen_at < ${nowPlus(ageMs)}`,
    ),
    findFirst: prepare(
      sql`select min(id) as id from gateways where account_code = '' and seen_at > ${nowPlus(ageMs)}`,
      { id: gateways.id },
    ),
    markLost: prepare(
      sql`update runs set state = 'lost' where state = 'running' and gateway not in (
          select id from gateways where account_code = '' and seen_at > ${nowPlus(ageMs)}
        ) returning 1 as one`,
      { one: numberOf(sql`1`) },
    ),
    findOld: prepare(
      sql`select account_code, id from runs where started_at < ${startedBefore}
        order by started_at limit ${limit} ${skipLocked}`,
      row,
    ),
    findBeyond: prepare(
      sql`select runs.account_code, runs.id from counters join runs
          on runs.account_code = counters.account_code and runs.id <= counters.value - ${typed(maxRuns, 'integer')}
        where counters.name = 'run' limit ${limit}`,
      row,
    ),
    findLong: prepare(
      sql`select runs.account_code, runs.id from counters join runs
          on runs.account_code = counters.account_code
            and runs.bytes_before < counters.value - ${typed(maxBytes, 'integer')}
        where counters.name = 'run byte' and counters.value > ${typed(maxBytes, 'integer')} and runs.id in (
          select oldest.id from runs as oldest where oldest.account_code = counters.account_code
          order by oldest.id limit ${maxOldest}
        ) limit ${limit}`,
      row,
    ),
    findOldInputs: prepare(
      sql`select account_code, id from run_inputs where started_at < ${startedBefore}
        order by started_at limit ${limit} ${skipLocked}`,
      row,
    ),
    findRemoved: prepare(
      sql`select account_code, id from removed_functions as removed
        where created_at < ${nowPlus(ageMs)} and not exists (
          select 1 from runs where runs.account_code = removed.account_code and runs.function_id = removed.id
        ) limit ${limit}`,
      row,
    ),
  }
}
