import { sql } from 'drizzle-orm'
import type { Origin } from '../../../domain/port.ts'
import { type Complete, noChosenFunction } from '../../../domain/triggers/complete-trigger.ts'
import { noTrigger } from '../../../domain/triggers/trigger-failures.ts'
import { RostrumError } from '../../../errors.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, insertValues, placeholders, type Statement } from '../../dialect.ts'
import { toColumnName } from '../../tables/describe-table.ts'
import type { RowOf, Selection } from '../../tables/tables-of.ts'
import { all, first, only, Refusal, refuse, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { decodeScopes } from '../tokens.ts'
import { createLockChosenFunction } from './lock-chosen-function.ts'

/** The columns that both kinds of trigger have. */
export interface TriggerRow {
  readonly id: number
  readonly caseTypeCode: string
  readonly functionId: number
  readonly scopes: readonly string[]
  readonly enabled: boolean
}

interface TriggerKind<S extends Selection, Row extends TriggerRow> {
  readonly table: 'hooks' | 'caseTasks'
  readonly selection: S
  readonly counter: 'hook' | 'case task'
  /** Decides against a trigger, given the other ones of its type. Nobody else changes these until the commit. */
  readonly refuseRow: (accountCode: string, row: Row, maxOfType: number) => Work<Refusal | null>
  /** Called for each case type that a change concerns, in its transaction. */
  readonly afterChange?: (accountCode: string, caseTypeCode: string) => Work<unknown>
  /** Called for each row that changes. */
  readonly forget?: (accountCode: string, id: number) => void
  readonly order: readonly (keyof S & string)[]
}

type Input<Row> = Omit<Row, 'id'>

/** Saves, removes and lists the triggers of a kind. */
export function createTriggerStore<S extends Selection, Row extends TriggerRow>(
  database: Database,
  { provision, takeNumbers }: Pick<Parts, 'provision' | 'takeNumbers'>,
  kind: TriggerKind<S, Row>,
) {
  const { change, read } = database
  const { refuseRow, counter, afterChange = nothing, forget = () => {} } = kind
  const statements = prepareStatements(database, kind)
  const lockChosenFunction = createLockChosenFunction(database)
  const decode = (row: RowOf<S>) => decodeTrigger<Row>(row)

  // Locks the type, so that nobody else changes its triggers until the commit.
  function* lockType(accountCode: string, caseTypeCode: string): Work<void> {
    const values = { accountCode, caseTypeCode }
    if ((yield* first(statements.lockType, values)) !== undefined) return
    yield* provision.caseType(accountCode, caseTypeCode)
    yield* only(statements.lockType, values)
  }

  // Locks in one order: the trigger, its function, its types by their codes.
  function* save(
    { accountCode }: Origin,
    id: number | null,
    complete: Complete<Input<Row>>,
    maxOfType: number,
  ): Work<Row | Refusal> {
    const found = id === null ? null : yield* first(statements.lock, { accountCode, id })
    if (found === undefined) return refuse(noTrigger(counter, id))
    const before = found === null ? null : decode(found)
    const completed = complete(before)
    if (completed instanceof RostrumError) return refuse(completed)
    const { function: chosen, ...values } = completed
    const functionId = yield* lockChosenFunction(accountCode, chosen, completed.caseTypeCode)
    if (functionId === null) return refuse(noChosenFunction(chosen, completed.caseTypeCode))
    const row = { ...values, functionId, id: id ?? 0 } as unknown as Row
    return yield* replace(accountCode, before, row, maxOfType)
  }

  function* replace(
    accountCode: string,
    before: Row | null,
    row: Row,
    maxOfType: number,
  ): Work<Row | Refusal> {
    const codes = [row, before ?? row].map(({ caseTypeCode }) => caseTypeCode)
    const types = [...new Set(codes)].sort()
    for (const code of types) yield* lockType(accountCode, code)
    const refusal = yield* refuseRow(accountCode, row, maxOfType)
    if (refusal !== null) return refusal
    for (const code of types) yield* afterChange(accountCode, code)
    return yield* write(accountCode, before?.id ?? null, row)
  }

  function* write(accountCode: string, id: number | null, given: Row): Work<Row> {
    const row = { ...given, id: id ?? (yield* takeNumbers(accountCode, counter)) }
    forget(accountCode, row.id)
    const statement = id === null ? statements.insert : statements.update
    yield* all(statement, { accountCode, ...(row as object), scopes: row.scopes.join(' ') })
    return row
  }

  function* remove({ accountCode }: Origin, id: number): Work<Row | Refusal> {
    const found = yield* first(statements.lock, { accountCode, id })
    if (found === undefined) return refuse(noTrigger(counter, id))
    const row = decode(found)
    yield* afterChange(accountCode, row.caseTypeCode)
    forget(accountCode, id)
    yield* all(statements.remove, { accountCode, id })
    return row
  }

  // The row is a member of the kept result of an idempotency step.
  async function changeRow(origin: Origin, work: () => Work<Row | Refusal>): Promise<Row> {
    const { row } = await change(origin, function* () {
      const row = yield* work()
      return row instanceof Refusal ? row : { row }
    })
    return row
  }

  return {
    save: (origin: Origin, id: number | null, complete: Complete<Input<Row>>, maxOfType: number) =>
      changeRow(origin, () => save(origin, id, complete, maxOfType)),
    remove: (origin: Origin, id: number) => changeRow(origin, () => remove(origin, id)),
    async list(accountCode: string, caseTypeCode: string | null, limit: number): Promise<Row[]> {
      const rows = await read(statements.list, { accountCode, caseTypeCode, limit })
      return rows.map(decode)
    },
  }
}

function* nothing(): Work<void> {}

/** A row with its scopes as a list. */
export function decodeTrigger<Row>(row: object): Row {
  return decodeScopes(row as Parameters<typeof decodeScopes>[0]) as Row
}

function prepareStatements<S extends Selection>(
  { prepare, typed, forUpdate, tables }: Dialect,
  { table: name, selection, order }: Pick<TriggerKind<S, never>, 'table' | 'selection' | 'order'>,
) {
  const table = tables[name]
  const { caseTypes } = tables
  const given = placeholders('accountCode', 'id', 'caseTypeCode', 'limit')
  const columns = Object.keys(selection)
  const tableName = sql.raw(toColumnName(name))
  const code = typed(given.caseTypeCode, 'text')
  const isTheTrigger = sql`account_code = ${given.accountCode} and id = ${given.id}`
  const assignments = columns
    .filter(column => column !== 'id')
    .map(column => sql`${sql.raw(toColumnName(column))} = ${sql.placeholder(column)}`)
  return {
    lock: prepare(
      sql`select ${columnsOf(selection)} from ${table} where ${isTheTrigger} ${forUpdate}`,
      selection,
    ),
    lockType: prepare(
      sql`
        select code from ${caseTypes}
        where account_code = ${given.accountCode} and code = ${given.caseTypeCode} ${forUpdate}`,
      { code: caseTypes.code },
    ),
    insert: prepare(sql`insert into ${tableName} ${insertValues('accountCode', ...columns)}`),
    update: prepare(sql`update ${tableName} set ${sql.join(assignments, sql`, `)} where ${isTheTrigger}`),
    remove: prepare(sql`delete from ${tableName} where ${isTheTrigger}`),
    list: prepare(
      sql`
        select ${columnsOf(selection)} from ${table}
        where account_code = ${given.accountCode} and (${code} is null or case_type_code = ${code})
        order by ${sql.raw(order.map(toColumnName).join())} limit ${given.limit}`,
      selection,
    ) as Statement<RowOf<S>>,
  }
}
