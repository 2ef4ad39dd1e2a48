import { type SQL, sql } from 'drizzle-orm'
import { type Dialect, placeholders } from '../../dialect.ts'
import { toColumnName } from '../../tables/describe-table.ts'
import { raiseCounter, raiseCounters } from '../counters.ts'
import { insertAccount } from '../provision.ts'

const columns = {
  id: 'integer',
  runId: 'text',
  state: 'text',
  outcome: 'text',
  trigger: 'text',
  event: 'text',
  name: 'text',
  functionId: 'integer',
  functionVersion: 'text',
  caseId: 'integer',
  caseVersion: 'integer',
  txnId: 'text',
  txnSource: 'text',
  parentRunId: 'text',
  replayOf: 'text',
  attempt: 'integer',
  queuedRunId: 'integer',
  byUserId: 'integer',
  scopes: 'text',
  startedAt: 'integer',
  duration: 'integer',
  dryRun: 'integer',
  textBytes: 'text',
  bytesBefore: 'integer',
  gateway: 'text',
} as const

const inputColumns = { id: 'integer', startedAt: 'integer', input: 'text', options: 'text' } as const
const outputColumns = {
  id: 'integer',
  payload: 'text',
  message: 'text',
  error: 'text',
  logs: 'text',
} as const

export type RunWriteStatements = ReturnType<typeof prepareRunWrites>

/** The columns of a run without its long values. */
export function selectRun({ tables: { runs } }: Dialect) {
  const { accountCode: _, gateway: __, ...selection } = pick(runs)
  return selection
}

// Picks the columns. A built table has other members too.
function pick(runs: Dialect['tables']['runs']) {
  const { accountCode, gateway, id, runId, state, outcome, trigger, event, name, functionId, ...rest } = runs
  const {
    functionVersion,
    caseId,
    caseVersion,
    txnId,
    txnSource,
    parentRunId,
    replayOf,
    attempt,
    queuedRunId,
  } = rest
  const { byUserId, scopes, startedAt, duration, dryRun, textBytes } = rest
  const first = { accountCode, gateway, id, runId, state, outcome, trigger, event, name, functionId }
  const second = { functionVersion, caseId, caseVersion, txnId, txnSource, parentRunId, replayOf, attempt }
  return { ...first, ...second, queuedRunId, byUserId, scopes, startedAt, duration, dryRun, textBytes }
}

export function prepareRunWrites({ prepare, chain, list, typed, tables }: Dialect) {
  const { accountCode } = placeholders('accountCode')
  const runs = list('given', columns)
  const inputs = list('given_inputs', inputColumns)
  const outputs = list('given_outputs', outputColumns)
  const count = typed(sql.placeholder('count'), 'integer')
  const bytes = typed(sql.placeholder('bytes'), 'integer')
  const storedByte = { name: 'stored byte', count: typed(sql.placeholder('storedBytes'), 'integer') } as const
  const runByte = { name: 'run byte', count: bytes } as const
  const { id, runId } = tables.runs

  /** Rows whose `id` counts from 1 after the last one that was taken. */
  const insertAfter = (table: string, names: object, { rows }: { readonly rows: SQL }) => {
    const written = Object.keys(names).filter(name => name !== 'id')
    const others = sql.raw(written.map(name => quote(toColumnName(name))).join())
    const values = sql.raw(written.map(toSource).join())
    return sql`
      insert into ${sql.raw(table)} (account_code, id, ${others})
      select ${accountCode}, last_run.before + id, ${values} from ${rows}, last_run, last_byte
      where last_byte.counter = 'run byte' on conflict do nothing`
  }
  const insertInto = (table: string, names: object, { rows }: { readonly rows: SQL }) => {
    const written = sql.raw(Object.keys(names).map(toColumnName).map(quote).join())
    return prepare(
      sql`insert into ${sql.raw(table)} (account_code, ${written})
        select ${accountCode}, ${written} from ${rows} where true
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
        account: insertAccount,
        last_byte: sql`${raiseCounters([storedByte, runByte])} returning name as counter, value - ${bytes} as before`,
        last_run: sql`
          ${raiseCounter('run', count, sql`from last_byte where counter = 'run byte'`)}
          returning value - ${count} as before`,
        row: sql`${insertAfter('runs', columns, runs)} returning id, run_id`,
        input: insertAfter('run_inputs', inputColumns, inputs),
        output: insertAfter('run_outputs', outputColumns, outputs),
      },
      'row',
      { id, runId },
    ),
    /** Removes the long values that came with the last `count` ids and have no run. */
    removeStray: ['run_inputs', 'run_outputs'].map(table => prepare(removeStray(sql.raw(table)))),
    /** Counts the bytes of ended runs. */
    countBytes: prepare(raiseCounters([storedByte, runByte])),
    insertInputs: insertInto('run_inputs', inputColumns, inputs),
    insertOutputs: insertInto('run_outputs', outputColumns, outputs),
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

function toSource(name: string): string {
  return name === 'bytesBefore' ? 'last_byte.before + bytes_before' : quote(toColumnName(name))
}

function quote(name: string): string {
  return `"${name}"`
}
