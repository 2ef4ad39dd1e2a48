import { type SQL, sql } from 'drizzle-orm'
import { maxWaiting } from '../../../domain/queue/waiting-limits.ts'
import { select } from '../../columns.ts'
import type { Database } from '../../database.ts'
import { type Chain, type ListRow, namesOf, type Statement, type Values } from '../../dialect.ts'
import { toColumnName } from '../../tables/describe-table.ts'
import { numberOf, orNull } from '../../tables/tables-of.ts'
import { all, type Work } from '../../work.ts'
import { raiseCounter, raiseCounters } from '../counters.ts'
import { buildTakeIds } from '../queue/enqueue.ts'
import { storedBytes } from '../stored-bytes.ts'
import { buildIsFree, type StoredCase, selectCase } from './case-rows.ts'
import { longestCaseId } from './planned-change.ts'

/** A save, with the values of its event. */
export interface SaveValues extends Values {
  /** 0 for a new case. */
  readonly caseId: number
  readonly caseTypeCode: string
  /** The version that the save makes. */
  readonly version: number
  /** The revision of the type as it was read. */
  readonly revision: number
  /** The bytes that the save adds to those of the account. */
  readonly storedBytes: number
  /** The runs that it queues, and the bytes of their inputs. */
  readonly waiting: number
  readonly waitingBytes: number
  /** The number of places in those bytes that hold `longestCaseId`. */
  readonly idPlaces: number
}

/** What the given saves share. */
export interface SharedValues {
  readonly accountCode: string
  /** The bytes that all of them add to those of the account. */
  readonly addedBytes: number
  /** The bytes that the account may store with them. */
  readonly roomBytes: number
  /** The runs that all of them queue, and the bytes of their inputs. */
  readonly addedWaiting: number
  readonly addedWaitingBytes: number
  readonly maxWaitingBytes: number
}

interface SavedRow extends StoredCase {
  /** The position of the save among those that were given, from 1. */
  readonly place: number
  /** The last id that was taken for queued runs, the same for all. Null if none was, or if the queue is full. */
  readonly lastId: number | null
}

/** Saves or creates the given cases of an account, but for those whose case or type is not as it was read or locked. */
export type SaveAll = (saves: readonly SaveValues[], shared: SharedValues) => Work<readonly SavedRow[]>

/** Whether cases that exist are saved, or new ones are created. */
export type SaveKind = 'saved' | 'created'

const accountCode = sql.placeholder('accountCode')

/** Prepares saves and new cases with their events and counters, as one statement for any number of them. */
export function prepareSaves(database: Database): Readonly<Record<SaveKind, SaveAll>> {
  return { saved: prepareKind(database, 'saved'), created: prepareKind(database, 'created') }
}

function prepareKind(database: Database, kind: SaveKind): SaveAll {
  const { chain, list, tables } = database
  const columns = describeSave(database)
  const many = list('listed', columns)
  const selection = {
    ...selectCase(tables),
    place: numberOf(sql`place`),
    lastId: orNull(tables.queueAccounts.lastId),
  }
  const prepare = (rows: SQL): Statement<SavedRow> =>
    chain(buildParts(database, rows, kind), 'answer', selection)
  const saveOne = prepare(selectOne(database))
  const saveMany = prepare(many.rows)
  return function* saveAll(saves, shared) {
    const [first] = saves
    const values = { ...shared, maxWaiting }
    // A list copies the data to escape it.
    if (first !== undefined && saves.length === 1) return yield* all(saveOne, { ...first, ...values })
    const rows = saves as readonly ListRow<typeof columns>[]
    return yield* all(saveMany, { ...many.encode(rows), ...values })
  }
}

// The columns of a save: those of its event, and what else decides or follows from it. All are texts or integers.
function describeSave({ tables }: Pick<Database, 'tables'>) {
  return {
    ...selectEvent(tables),
    revision: 'integer',
    leaseHolder: 'text',
    caseId: 'integer',
    data: 'text',
    dataBytes: 'integer',
    storedBytes: 'integer',
    waiting: 'integer',
    waitingBytes: 'integer',
    idPlaces: 'integer',
  } as const
}

function selectEvent({ caseEvents }: Database['tables']) {
  return select(caseEvents, { omit: ['accountCode', 'id', 'caseId', 'createdAt'] })
}

// A save as a row of its own values.
function selectOne(database: Database): SQL {
  const values = Object.entries(describeSave(database)).map(([key, column]) => {
    const type = typeof column === 'string' ? column : column.getSQLType()
    const value = database.typed(sql.placeholder(key), type === 'text' ? 'text' : 'integer')
    return sql`${value} as ${sql.raw(toColumnName(key))}`
  })
  return sql`(select ${sql.join(values, sql`, `)}, 1 as place) as listed`
}

// The statement leaves out a type or a case that another transaction has locked, so that one slow change does not stop
// the others. It waits only for the counter of cases, the queue and the counters of the account, which all changes lock
// in this order.
function buildParts(database: Database, rows: SQL, kind: SaveKind): Chain {
  const { after, typed, tables, forShare, now } = database
  const event = namesOf(selectEvent(tables))
  // The options of a queued run hold the id of its case, so a shorter one than was measured takes fewer bytes.
  const digits = sql.raw(String(String(longestCaseId).length))
  const excess = sql`given.id_places * (${digits} - length(saved.id::text))`
  return {
    given: sql`select * from ${rows}`,
    type: sql`
      select code, revision from case_types
      where account_code = ${accountCode} and code in (select case_type_code from given)
      ${forShare} skip locked`,
    ...(kind === 'saved' ? buildUpdate(database) : buildInsert(database)),
    written: sql`
      select saved.id as written_id, given.*, given.stored_bytes - ${excess} as stored,
        given.waiting_bytes - ${excess} as bytes
      from saved join given on given.place = saved.place`,
    total: sql`
      select count(*) as events, sum(stored) as stored, sum(waiting) as waiting, sum(bytes) as bytes
      from written having count(*) > 0`,
    taken: buildTakeIds({ typed, now }, sql`select waiting, bytes from total where waiting > 0`),
    head: sql`
      ${raiseCounters(
        [
          { name: 'stored byte', count: sql`total.stored` },
          { name: 'case event', count: sql`total.events` },
        ],
        sql`from total where ${after('taken')}`,
      )}
      returning name, value`,
    row: sql`
      insert into case_events (account_code, case_id, ${event}, id)
      select ${accountCode}, written_id, ${event}, head.value - total.events + row_number() over (order by place)
      from written, total, head where head.name = 'case event'`,
    answer: sql`select saved.*, (select last_id from taken) as last_id from saved order by place`,
  }
}

function buildUpdate({ after, typed, tables, now }: Database): Record<'found' | 'saved', SQL> {
  return {
    found: sql`
      select id, version from cases
      where account_code = ${accountCode} and id in (select case_id from given)
        and ${buildHasRoom(typed)} and ${after('type')}
      order by id for no key update skip locked`,
    saved: sql`
      update cases set data = given.data, data_bytes = given.data_bytes, version = given.version, updated_at = ${now}
      from given
      join found on found.id = given.case_id and found.version = given.version - 1
      join type on type.code = given.case_type_code and type.revision = given.revision
      where cases.account_code = ${accountCode} and cases.id = given.case_id
        and ${buildIsFree(now, sql`given.case_id`, sql`given.lease_holder`)}
      returning ${namesOf(selectCase(tables), 'cases')}, given.place`,
  }
}

function buildInsert({ typed, tables }: Database): Record<'fitting' | 'ids' | 'added' | 'saved', SQL> {
  return {
    fitting: sql`
      select given.*, row_number() over (order by given.place) as rank
      from given join type on type.code = given.case_type_code and type.revision = given.revision
      where ${buildHasRoom(typed)}`,
    ids: sql`
      ${raiseCounter('case', sql`count(*)`, sql`from fitting having count(*) > 0`)}
      returning value - (select count(*) from fitting) as before`,
    added: sql`
      insert into cases (account_code, id, case_type_code, data, data_bytes)
      select ${accountCode}, ids.before + fitting.rank, fitting.case_type_code, fitting.data, fitting.data_bytes
      from ids, fitting returning ${namesOf(selectCase(tables))}`,
    saved: sql`
      select added.*, fitting.place from added, ids, fitting where fitting.rank = added.id - ids.before`,
  }
}

/** The condition that the account has room for all given saves: for their bytes, and in its queue for their runs. */
function buildHasRoom(typed: Database['typed']): SQL {
  const integer = (name: keyof SharedValues | 'maxWaiting') => typed(sql.placeholder(name), 'integer')
  return sql`
    ${storedBytes} + ${integer('addedBytes')} <= ${integer('roomBytes')} and not exists (
      select 1 from queue_accounts as queue
      where queue.account_code = ${accountCode} and ${integer('addedWaiting')} > 0 and (
        queue.waiting + ${integer('addedWaiting')} > ${integer('maxWaiting')}
        or queue.waiting_bytes + ${integer('addedWaitingBytes')} > ${integer('maxWaitingBytes')}
      )
    )`
}
