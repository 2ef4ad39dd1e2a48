import { sql } from 'drizzle-orm'
import type { Origin } from '../../../domain/port.ts'
import { triggerKinds } from '../../../domain/scripts/trigger-kinds.ts'
import { type Complete, noChosenFunction } from '../../../domain/triggers/complete-trigger.ts'
import type { TriggerFilter } from '../../../domain/triggers/trigger-store.ts'
import { notFound, RostrumError } from '../../../errors.ts'
import { assign, insertInto } from '../../columns.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, type FindByIds, placeholders, type Statement } from '../../dialect.ts'
import { toColumnName } from '../../tables/describe-table.ts'
import { numberOf } from '../../tables/tables-of.ts'
import { all, first, only, Refusal, refuse, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import { createLockChosenFunction } from './lock-chosen-function.ts'
import { type TriggerKind, type TriggerRow, tableOf } from './trigger-kind.ts'

/** What else a change of a trigger writes, in its transaction. */
interface Effects {
  /** Called with the case types of the trigger before and after. */
  readonly afterSave?: (accountCode: string, caseTypeCodes: readonly string[]) => Work<unknown>
  readonly beforeRemove?: (accountCode: string, id: number, caseTypeCodes: readonly string[]) => Work<unknown>
}

type Input<Row> = Omit<Row, 'id'>

/** Saves, removes, finds and lists the triggers of a kind. `work` is for a transaction that does more. */
export function createTriggerStore<Row extends TriggerRow>(
  database: Database,
  { provision, takeNumbers }: Pick<Parts, 'provision' | 'takeNumbers'>,
  kind: TriggerKind<Row>,
  { afterSave = nothing, beforeRemove = nothing }: Effects = {},
) {
  const { change, read } = database
  const { tooMany, sameName, within } = kind
  const { savedAs } = triggerKinds[kind.trigger]
  const { table, selection } = tableOf(database, kind.trigger)
  const statements = prepareStatements(database, kind)
  const lockChosenFunction = createLockChosenFunction(database)
  const { forget, ...finders } = database.findByIds(table, selection) as unknown as FindByIds<Row>

  function* lock(accountCode: string, id: number): Work<Row | Refusal> {
    return (yield* first(statements.lock, { accountCode, id })) ?? refuse(notFound(savedAs, id))
  }

  // Locks the type, so that nobody else changes its triggers until the commit.
  function* lockType(accountCode: string, caseTypeCode: string): Work<void> {
    const values = { accountCode, caseTypeCode }
    if ((yield* first(statements.lockType, values)) !== undefined) return
    yield* provision.caseType(accountCode, caseTypeCode)
    yield* only(statements.lockType, values)
  }

  // Locks in one order: the trigger, its function, and its types by their codes. For triggers without types it is the
  // counter of the account.
  function* save(
    accountCode: string,
    id: number | null,
    complete: Complete<Input<Row>>,
    max: number,
  ): Work<Row | Refusal> {
    const before = id === null ? null : yield* lock(accountCode, id)
    if (before instanceof Refusal) return before
    const completed = complete(before)
    if (completed instanceof RostrumError) return refuse(completed)
    const { function: chosen, ...values } = completed
    const { caseTypeCode = null } = values as Pick<TriggerRow, 'caseTypeCode'>
    const functionId = yield* lockChosenFunction(accountCode, chosen, caseTypeCode)
    if (functionId === null) return refuse(noChosenFunction(chosen, caseTypeCode, savedAs))
    const row = { ...values, functionId, id: id ?? 0 } as unknown as Row
    return yield* replace(accountCode, before, row, max)
  }

  function* replace(accountCode: string, before: Row | null, row: Row, max: number): Work<Row | Refusal> {
    const types = listTypes([row, before ?? row])
    // Zero numbers only lock the counter.
    if (types.length === 0) yield* takeNumbers(accountCode, savedAs, 0)
    for (const code of types) yield* lockType(accountCode, code)
    const refusal = yield* compare(accountCode, before, row, max)
    if (refusal !== null) return refusal
    const saved = { ...row, id: before?.id ?? (yield* takeNumbers(accountCode, savedAs)) }
    forget(accountCode, saved.id)
    const statement = before === null ? statements.insert : statements.update
    yield* all(statement, { accountCode, ...(saved as object) })
    yield* afterSave(accountCode, types)
    return saved
  }

  // Decides against a trigger, given the other ones. Nobody else changes these until the commit.
  function* compare(accountCode: string, before: Row | null, row: Row, max: number): Work<Refusal | null> {
    const values = { accountCode, ...(row as object) }
    if (sameName !== null) {
      const existing = yield* first(statements.findName, values)
      if (existing !== undefined) return refuse(sameName(row, existing.id))
    }
    if (before !== null && within.every(column => before[column] === row[column])) return null
    const { count } = yield* only(statements.countOthers, values)
    return count < max ? null : refuse(tooMany(row, max))
  }

  function* remove(accountCode: string, id: number): Work<Row | Refusal> {
    const row = yield* lock(accountCode, id)
    if (row instanceof Refusal) return row
    yield* beforeRemove(accountCode, id, listTypes([row]))
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
    ...finders,
    save: (origin: Origin, id: number | null, complete: Complete<Input<Row>>, max: number) =>
      changeRow(origin, () => save(origin.accountCode, id, complete, max)),
    remove: (origin: Origin, id: number) => changeRow(origin, () => remove(origin.accountCode, id)),
    list: (accountCode: string, filter: TriggerFilter, limit: number): Promise<Row[]> =>
      read(statements.list, { accountCode, ...filter, limit }),
    work: { lock, save, remove },
  }
}

function* nothing(): Work<void> {}

/** The case types of these triggers, in the order of their locks. */
function listTypes(rows: readonly TriggerRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ caseTypeCode }) => caseTypeCode ?? []))].sort()
}

function prepareStatements<Row extends TriggerRow>(
  dialect: Dialect,
  { trigger, within, order, sameName }: TriggerKind<Row>,
) {
  const { prepare, typed, forUpdate, tables } = dialect
  const { table, selection } = tableOf(dialect, trigger)
  const { caseTypes } = tables
  const given = placeholders('accountCode', 'id', 'caseTypeCode', 'functionId', 'limit')
  const code = typed(given.caseTypeCode, 'text')
  const functionId = typed(given.functionId, 'integer')
  const isOfAccount = sql`account_code = ${given.accountCode}`
  const isTheTrigger = sql`${isOfAccount} and id = ${given.id}`
  const areSame = (columns: readonly string[]) =>
    columns.map(column => sql` and ${sql.raw(toColumnName(column))} = ${sql.placeholder(column)}`)
  const isOther = (columns: readonly string[]) =>
    sql`${isOfAccount} and id <> ${given.id}${sql.join(areSame(columns))}`
  const isOfType = within.includes('caseTypeCode')
    ? sql`and (${code} is null or case_type_code = ${code})`
    : sql``
  const isListed = sql`${isOfAccount} ${isOfType} and (${functionId} is null or function_id = ${functionId})`
  const returning = (statement: ReturnType<typeof prepare>) => statement as unknown as Statement<Row>
  return {
    lock: returning(
      prepare(
        sql`select ${columnsOf(selection)} from ${table} where ${isTheTrigger} ${forUpdate}`,
        selection,
      ),
    ),
    lockType: prepare(
      sql`
        select code from ${caseTypes}
        where ${isOfAccount} and code = ${given.caseTypeCode} ${forUpdate}`,
      { code: caseTypes.code },
    ),
    findName: prepare(
      sql`select id from ${table} where ${isOther(sameName === null ? [] : [...within, 'name'])}`,
      { id: table.id },
    ),
    countOthers: prepare(sql`select count(*) as count from ${table} where ${isOther(within)}`, {
      count: numberOf(sql`count(*)`),
    }),
    insert: prepare(insertInto(table, { omit: ['createdAt'] })),
    update: prepare(
      sql`update ${table} set ${assign(table, { omit: ['accountCode', 'id', 'createdAt'] })} where ${isTheTrigger}`,
    ),
    remove: prepare(sql`delete from ${table} where ${isTheTrigger}`),
    list: returning(
      prepare(
        sql`
          select ${columnsOf(selection)} from ${table} where ${isListed}
          order by ${sql.raw(order.map(toColumnName).join())} limit ${given.limit}`,
        selection,
      ),
    ),
  }
}
