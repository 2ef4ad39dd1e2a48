import { sql } from 'drizzle-orm'
import type { RunStore } from '../../../domain/runs/run-store.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, placeholders } from '../../dialect.ts'
import { orNull, type StoreColumn } from '../../tables/tables-of.ts'
import { selectRun } from './run-statements.ts'

const { accountCode, ids } = placeholders('accountCode', 'ids')

/** The reads of runs whose ids are known. */
export function createFindRuns(database: Database): Pick<RunStore, 'findByRunIds' | 'findTexts'> {
  const { read, prepareMany, list, encodeList, tables } = database
  const { runs } = tables
  const selection = selectRun(database)
  const asked = list('asked', { runId: 'text' })
  // `cross join` makes SQLite look each run up in the index.
  const byRunIds = prepareMany(
    sql`select ${columnsOf(selection)} from ${asked.rows} cross join ${runs}
      where ${runs.accountCode} = ${accountCode} and ${runs.runId} = asked.run_id`,
    selection,
  )
  const texts = prepareTexts(database)

  return {
    findByRunIds: (accountCode, runIds) =>
      read(byRunIds, { accountCode, ...asked.encode(runIds.map(runId => ({ runId }))) }),
    findTexts: (accountCode, kind, ids) => read(texts[kind], { accountCode, ids: encodeList(ids) }),
  }
}

function prepareTexts({ prepareMany, isListed, tables: { runInputs, runOutputs, runSources } }: Dialect) {
  const prepareText = (table: typeof runInputs | typeof runOutputs, text: StoreColumn<string | null>) => {
    const selection = { id: table.id, text }
    return prepareMany(
      sql`select ${columnsOf(selection)} from ${table}
        where ${table.accountCode} = ${accountCode} and ${isListed(table.id, ids)}`,
      selection,
    )
  }
  const source = { id: runInputs.id, text: orNull(runSources.source) }
  return {
    input: prepareText(runInputs, runInputs.input),
    options: prepareText(runInputs, runInputs.options),
    source: prepareMany(
      sql`select ${columnsOf(source)} from ${runInputs} join ${runSources}
        on ${runSources.accountCode} = ${runInputs.accountCode} and ${runSources.hash} = ${runInputs.sourceHash}
        where ${runInputs.accountCode} = ${accountCode} and ${isListed(runInputs.id, ids)}`,
      source,
    ),
    payload: prepareText(runOutputs, runOutputs.payload),
    message: prepareText(runOutputs, runOutputs.message),
    error: prepareText(runOutputs, runOutputs.error),
    logs: prepareText(runOutputs, runOutputs.logs),
    calls: prepareText(runOutputs, runOutputs.calls),
  }
}
