import { type SQL, sql } from 'drizzle-orm'
import { select } from '../../columns.ts'
import { type Dialect, namesOf, placeholders } from '../../dialect.ts'
import type { Selection } from '../../tables/tables-of.ts'
import { raiseCounter, raiseCounters } from '../counters.ts'
import { insertAccount } from '../provision.ts'
import { prepareKeepSources } from './run-sources.ts'

export type RunWriteStatements = ReturnType<typeof prepareRunWrites>

/** The columns of a run without its long values. */
export function selectRun({ tables: { runs } }: Dialect) {
  const { duration: durationMs, ...others } = select(runs, {
    omit: ['accountCode', 'bytesBefore', 'gateway'],
  })
  return { ...others, durationMs }
}

export function prepareRunWrites(dialect: Dialect) {
  const { prepare, chain, list, typed, tables } = dialect
  const { accountCode } = placeholders('accountCode')
  const columns = {
    runs: select(tables.runs, { omit: ['accountCode'] }),
    run_inputs: select(tables.runInputs, { omit: ['accountCode'] }),
    run_outputs: select(tables.runOutputs, { omit: ['accountCode'] }),
  }
  const runs = list('given', columns.runs)
  const inputs = list('given_inputs', columns.run_inputs)
  const outputs = list('given_outputs', columns.run_outputs)
  const count = typed(sql.placeholder('count'), 'integer')
  const bytes = typed(sql.placeholder('bytes'), 'integer')
  const storedByte = { name: 'stored byte', count: typed(sql.placeholder('storedBytes'), 'integer') } as const
  const runByte = { name: 'run byte', count: bytes } as const
  const { id, runId } = tables.runs

  /** Rows whose `id` counts from 1 after the last one that was taken. */
  const insertAfter = (table: keyof typeof columns, { rows }: { readonly rows: SQL }) => {
    const { id: _, ...others } = columns[table]
    return sql`
      insert into ${sql.raw(table)} (account_code, id, ${namesOf(others)})
      select ${accountCode}, last_run.before + id, ${sourcesOf(others)} from ${rows}, last_run, last_byte
      where last_byte.counter = 'run byte' on conflict do nothing`
  }
  const insertListed = (table: keyof typeof columns, { rows }: { readonly rows: SQL }) => {
    const names = namesOf(columns[table])
    return prepare(
      sql`insert into ${sql.raw(table)} (account_code, ${names})
        select ${accountCode}, ${names} from ${rows} where true
        on conflict do nothing`,
    )
  }

  const removeStray = (table: SQL) => sql`
    delete from ${table} where account_code = ${accountCode}
      and id > (select value - ${count} from counters where account_code = ${accountCode} and name = 'run')
      and not exists (select 1 from runs where runs.account_code = ${accountCode} and runs.id = ${table}.id)`

  return {
    runs,
    inputs,
    outputs,
    /** Inserts runs with their long values. Their ids, and the bytes before them, count from the last ones. */
    insertAll: chain(
      {
        account: insertAccount(dialect),
        last_byte: sql`${raiseCounters([storedByte, runByte])} returning name as counter, value - ${bytes} as before`,
        last_run: sql`
          ${raiseCounter('run', count, sql`from last_byte where counter = 'run byte'`)}
          returning value - ${count} as before`,
        row: sql`${insertAfter('runs', runs)} returning id, run_id`,
        input: insertAfter('run_inputs', inputs),
        output: insertAfter('run_outputs', outputs),
      },
      'row',
      { id, runId },
    ),
    keepSources: prepareKeepSources(dialect),
    /** Removes the long values that came with the last `count` ids and have no run. */
    removeStray: ['run_inputs', 'run_outputs'].map(table => prepare(removeStray(sql.raw(table)))),
    /** Counts the bytes of ended runs. */
    countBytes: prepare(raiseCounters([storedByte, runByte])),
    insertInputs: insertListed('run_inputs', inputs),
    insertOutputs: insertListed('run_outputs', outputs),
    /** Ends runs that have not ended. */
    end: prepare(
      sql`update runs set state = given.state, outcome = given.outcome, duration = given.duration,
          text_bytes = given.text_bytes, case_id = given.case_id
        from ${runs.rows}
        where runs.account_code = ${accountCode} and runs.run_id = given.run_id and runs.outcome is null
        returning runs.id as id, runs.run_id as run_id`,
      { id, runId },
    ),
  }
}

// The columns of the rows that are sent. Their `bytesBefore` count from the first of them.
function sourcesOf(columns: Selection): SQL {
  const sources = Object.entries(columns).map(([key, { name }]) =>
    key === 'bytesBefore' ? sql`last_byte.before + bytes_before` : sql.identifier(name),
  )
  return sql.join(sources, sql`, `)
}
