import { setTimeout as sleep } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'
import postgres from 'postgres'
import type { ServerProcess } from '../servers/server-process.ts'

/** Looks into the database of a contender, past its server. */
export interface QueueReader {
  /** How many runs wait or run. */
  countOpen(): Promise<number>
  /** How many runs have ended well. */
  countDone(): Promise<number>
  /** Resolves when no run waits or runs; looks every few milliseconds. */
  whenEmpty(): Promise<void>
  /** Of the gateway's runs from the `first`-th on: from the time of the case event to the start, in ms. */
  readDelays(first: number): Promise<number[]>
  close(): Promise<void>
}

/** A contender and its queue. */
export interface QueueServer {
  readonly server: ServerProcess
  readonly queue: QueueReader
}

interface Statements {
  readonly open: string
  readonly done: string
  /** The time of a case event in ms. */
  readonly eventAt: string
}

type Select = (text: string) => Promise<readonly object[]>

const pollEveryMs = 20
const emptyWithinMs = 60_000

const own = {
  open: 'select count(*) as value from queued_runs',
  done: `select count(*) as value from runs where "trigger" = 'hook' and outcome = 'exit'`,
}
const ofJobs = {
  open: `select count(*) as value from pgboss.job where name = 'case-saved' and state < 'completed'`,
  done: `select count(*) as value from pgboss.job where name = 'case-saved' and state = 'completed'`,
}

const eventAt = 'extract(epoch from events.created_at) * 1000'

export function readSqliteQueue(path: string): QueueReader {
  const client = new SqliteDatabase(path, { readonly: true })
  const select: Select = async text => client.prepare<[], object>(text).all()
  return createReader(select, { ...own, eventAt: 'events.created_at' }, async () => void client.close())
}

export function readPostgresQueue(url: string, of: 'rostrum' | 'pg-boss'): QueueReader {
  const sql = postgres(url, { max: 1 })
  const statements = of === 'rostrum' ? own : ofJobs
  return createReader(
    async text => sql.unsafe(text),
    { ...statements, eventAt },
    () => sql.end(),
  )
}

function createReader(select: Select, statements: Statements, close: QueueReader['close']): QueueReader {
  const selectValues = async (text: string) =>
    (await select(text)).map(row => Number('value' in row ? row.value : Number.NaN))
  const count = async (text: string) => (await selectValues(text))[0] ?? Number.NaN
  const countOpen = () => count(statements.open)
  return {
    countOpen,
    countDone: () => count(statements.done),
    async whenEmpty() {
      const deadline = performance.now() + emptyWithinMs
      for (let open = await countOpen(); open > 0; open = await countOpen()) {
        if (performance.now() > deadline) throw new Error(`${open} queued runs did not end.`)
        await sleep(pollEveryMs)
      }
    },
    readDelays: first =>
      selectValues(`
        select runs.started_at - ${statements.eventAt} as value from runs
        join case_events as events on events.account_code = runs.account_code
          and events.case_id = runs.case_id and events.version = runs.case_version
        where runs."trigger" = 'hook' and runs.outcome = 'exit' order by runs.id limit 1000000 offset ${first}`),
    close,
  }
}
