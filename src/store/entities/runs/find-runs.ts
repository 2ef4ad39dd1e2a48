import { type SQL, sql } from 'drizzle-orm'
import type { RunFilter, RunStore } from '../../../domain/runs/run-store.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import type { StoreColumn } from '../../tables/tables-of.ts'
import { selectRun } from './run-statements.ts'
import { toRun } from './runs.ts'

const { accountCode, before, limit, ids } = placeholders('accountCode', 'before', 'limit', 'ids')

/** The reads of runs. A combination of filters has a statement of its own, so that it uses the index that fits. */
export function createFindRuns(
  database: Database,
): Pick<RunStore, 'list' | 'findByRunIds' | 'findAttempts' | 'findTexts'> {
  const { read, prepareMany, list, encodeList, tables } = database
  const { runs } = tables
  const selection = selectRun(database)
  const select = sql`select ${columnsOf(selection)} from ${runs} where ${runs.accountCode} = ${accountCode}`
  const lists = new Map<string, ReturnType<typeof prepareList>>()
  const asked = list('asked', { runId: 'text' })
  const byRunIds = prepareMany(
    sql`select ${columnsOf(selection)} from ${asked.rows} join ${runs}
      on ${runs.accountCode} = ${accountCode} and ${runs.runId} = asked.run_id`,
    selection,
  )
  const queued = list('queued', { id: 'integer', txnId: 'text' })
  const attempts = prepareMany(
    sql`select ${columnsOf(selection)} from ${queued.rows} join ${runs}
      on ${runs.accountCode} = ${accountCode} and ${runs.txnId} = queued.txn_id and ${runs.queuedRunId} = queued.id
      order by ${runs.id}`,
    selection,
  )
  const texts = prepareTexts(database)

  function prepareList(names: readonly (keyof RunFilter)[]) {
    const filters = names.map(name => sql` and ${conditions(runs)[name](sql`${sql.placeholder(name)}`)}`)
    return prepareMany(
      sql`${select} and ${runs.id} < ${before} ${sql.join(filters)} order by ${runs.id} desc limit ${limit}`,
      selection,
    )
  }

  return {
    async list(accountCode, filter, from, limit) {
      const names = filterNames.filter(name => filter[name] !== null)
      const statement = lists.get(names.join()) ?? prepareList(names)
      lists.set(names.join(), statement)
      const rows = await read(statement, { accountCode, ...filter, before: from ?? 2 ** 53, limit })
      return rows.sort((a, b) => b.id - a.id).map(toRun)
    },
    async findByRunIds(accountCode, runIds) {
      return (await read(byRunIds, { accountCode, ...asked.encode(runIds.map(runId => ({ runId }))) })).map(
        toRun,
      )
    },
    findAttempts: async (accountCode, given) =>
      (await read(attempts, { accountCode, ...queued.encode(given) })).map(toRun),
    findTexts: (accountCode, kind, ids) => read(texts[kind], { accountCode, ids: encodeList(ids) }),
  }
}

const filterNames: readonly (keyof RunFilter)[] = [
  'functionId',
  'functionVersion',
  'trigger',
  'caseId',
  'txnId',
  'outcome',
  'state',
  'startedAfter',
  'startedBefore',
]

function conditions(runs: Dialect['tables']['runs']): Record<keyof RunFilter, (value: SQL) => SQL> {
  const equals = (column: StoreColumn) => (value: SQL) => sql`${column} = ${value}`
  return {
    functionId: equals(runs.functionId),
    functionVersion: equals(runs.functionVersion),
    trigger: equals(runs.trigger),
    caseId: equals(runs.caseId),
    txnId: equals(runs.txnId),
    outcome: equals(runs.outcome),
    state: equals(runs.state),
    startedAfter: value => sql`${runs.startedAt} > ${value}`,
    startedBefore: value => sql`${runs.startedAt} < ${value}`,
  }
}

function prepareTexts({ prepareMany, isListed, tables: { runInputs, runOutputs } }: Dialect) {
  const prepareText = (table: typeof runInputs | typeof runOutputs, text: StoreColumn<string | null>) => {
    const selection = { id: table.id, text }
    return prepareMany(
      sql`select ${columnsOf(selection)} from ${table}
        where ${table.accountCode} = ${accountCode} and ${isListed(table.id, ids)}`,
      selection,
    )
  }
  return {
    input: prepareText(runInputs, runInputs.input),
    options: prepareText(runInputs, runInputs.options),
    payload: prepareText(runOutputs, runOutputs.payload),
    message: prepareText(runOutputs, runOutputs.message),
    error: prepareText(runOutputs, runOutputs.error),
    logs: prepareText(runOutputs, runOutputs.logs),
  }
}
