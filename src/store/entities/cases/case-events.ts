import { sql } from 'drizzle-orm'
import type { CaseEvent, CaseEventStore } from '../../../domain/cases/case-store.ts'
import type { EventStore, Origin } from '../../../domain/port.ts'
import { JsonText } from '../../../json/json-text.ts'
import { select } from '../../columns.ts'
import type { Database } from '../../database.ts'
import { type Dialect, namesOf, type Values } from '../../dialect.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import type { RowOf } from '../../tables/tables-of.ts'
import { first, only, type Work } from '../../work.ts'
import { raiseCounters } from '../counters.ts'
import { createEventLog, describeLogs, selectOrigin, writeOrigin } from '../event-log.ts'
import { buildTakeIds, type TakenIds } from '../queue/enqueue.ts'
import { membershipBytes } from '../stored-bytes.ts'

// Longer changed fields are loaded when a document asks for them: a page may have a thousand of 2 MiB.
const maxShortBytes = 4_096

interface NewCaseEvent
  extends Pick<CaseEvent, 'kind' | 'caseId' | 'caseTypeCode' | 'version' | 'functionName'> {
  /** JSON. */
  readonly changedFields: string
}

/** What the statement of an event also counts. */
interface CountedBeside {
  /** Bytes that the change adds to those of the account, the event included. */
  readonly storedBytes: number
  /** The values of `toTakeValues`, to take ids for queued runs; null without any. */
  readonly take: Values | null
}

interface Appended {
  /** The bytes that the account stores after the change. */
  readonly stored: number
  readonly taken: TakenIds
}

/** Appends an event, inside the transaction of the change. */
export type AppendCaseEvent = (origin: Origin, event: NewCaseEvent, beside: CountedBeside) => Work<Appended>

export function createCaseEventStore(
  database: Database,
  onChange: EventStore<CaseEvent>['onChange'],
): CaseEventStore {
  const { caseEvents } = database.tables
  const selection = selectEvent(caseEvents)
  const log = createEventLog(database, describeLogs(database.tables).cases, { selection, toEvent })
  const pageByCase = createPageByParent(database, { table: caseEvents, parent: 'caseId', selection })
  const whole = { id: caseEvents.id, longFields: caseEvents.longFields }
  const { findByIds } = database.findByIds(caseEvents, whole, { maxCachedRows: 0 })
  return {
    ...log,
    onChange,
    async pageByCases(accountCode, caseIds, page) {
      return (await pageByCase(accountCode, caseIds, page)).map(toEvent)
    },
    async findChangedFields(accountCode, sequences) {
      const rows = await findByIds(accountCode, sequences)
      return rows.map(({ id, longFields }) => ({
        sequence: id,
        changedFields: new JsonText(longFields ?? '{}'),
      }))
    },
  }
}

function selectEvent(events: Dialect['tables']['caseEvents']) {
  const omit = ['accountCode', 'longFields', 'byUserId', 'byEmail', 'transactionId', 'createdAt'] as const
  return { ...select(events, { omit }), ...selectOrigin(events) }
}

function toEvent({ id, changedFields, ...row }: RowOf<ReturnType<typeof selectEvent>>): CaseEvent {
  return { ...row, sequence: id, changedFields: changedFields === null ? null : new JsonText(changedFields) }
}

/**
 * Returns the parts of a statement that append an event: `head` raises the counters of the account, which are locked
 * until the commit, and `row` is the event. `from` is what `head` reads, such as `from part`.
 */
function buildEventParts({ typed, tables }: Dialect, from = sql``) {
  const storedBytes = {
    name: 'stored byte',
    count: typed(sql.placeholder('storedBytes'), 'integer'),
  } as const
  const events = { name: 'case event', count: sql`1` } as const
  const columns = select(tables.caseEvents, { omit: ['id', 'createdAt'] })
  const given = Object.keys(columns).map(name => sql.placeholder(name))
  return {
    head: sql`${raiseCounters([storedBytes, events], from)} returning name, value`,
    row: sql`
      insert into case_events (${namesOf(columns)}, id) select ${sql.join(given, sql`, `)}, head.value
      from head where head.name = 'case event'`,
  }
}

/** Returns the values of those parts. `storedBytes`: what the change adds to the account, the event included. */
export function toEventValues(origin: Origin, event: NewCaseEvent, storedBytes: number) {
  const changedBytes = Buffer.byteLength(event.changedFields)
  const isShort = changedBytes <= maxShortBytes
  return {
    accountCode: origin.accountCode,
    ...event,
    changedFields: isShort ? event.changedFields : null,
    longFields: isShort ? null : event.changedFields,
    changedBytes,
    ...writeOrigin(origin),
    storedBytes,
  }
}

/** Appends the event in one statement. The counters and the queue of the account are locked until the commit. */
export function createAppendCaseEvent(dialect: Dialect): AppendCaseEvent {
  const { chain, tables } = dialect
  const { value } = tables.counters
  const all = sql`head.value + ${membershipBytes}`
  const insert = chain(
    {
      ...buildEventParts(dialect),
      stored: sql`select ${all} as value from head where head.name = 'stored byte'`,
    },
    'stored',
    { value },
  )
  const insertAndTake = chain(
    {
      taken: buildTakeIds(dialect),
      ...buildEventParts(dialect, sql`from taken`),
      counted: sql`select taken.last_id, ${all} as value from taken, head where head.name = 'stored byte'`,
    },
    'counted',
    { lastId: tables.queueAccounts.lastId, value },
  )
  return function* appendEvent(origin, event, beside) {
    const values = toEventValues(origin, event, beside.storedBytes)
    if (beside.take === null) return { stored: (yield* only(insert, values)).value, taken: undefined }
    const row = yield* first(insertAndTake, { ...values, ...beside.take })
    return { stored: row?.value ?? 0, taken: row }
  }
}
