import { sql } from 'drizzle-orm'
import { type Dialect, placeholders } from '../../dialect.ts'
import { toColumnName } from '../../tables/describe-table.ts'

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

// The built table has members besides its columns.
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

export function prepareRunWrites({ prepare, list, tables }: Dialect) {
  const { accountCode } = placeholders('accountCode')
  const runs = list('given', columns)
  const inputs = list('given', inputColumns)
  const outputs = list('given', outputColumns)

  const insertInto = (table: string, names: object, { rows }: { readonly rows: typeof runs.rows }) => {
    const written = sql.raw(Object.keys(names).map(toColumnName).map(quote).join())
    return prepare(
      sql`insert into ${sql.raw(table)} (account_code, ${written})
        select ${accountCode}, ${written} from ${rows} where true
        on conflict do nothing`,
    )
  }

  return {
    runs,
    inputs,
    outputs,
    insert: insertInto('runs', columns, runs),
    insertInputs: insertInto('run_inputs', inputColumns, inputs),
    insertOutputs: insertInto('run_outputs', outputColumns, outputs),
    end: prepare(
      sql`update runs set state = given.state, outcome = given.outcome, duration = given.duration,
          text_bytes = given.text_bytes, case_id = given.case_id
        from ${runs.rows}
        where runs.account_code = ${accountCode} and runs.run_id = given.run_id
        returning runs.id as id, runs.run_id as run_id`,
      { id: tables.runs.id, runId: tables.runs.runId },
    ),
  }
}

function quote(name: string): string {
  return `"${name}"`
}
