import { sql } from 'drizzle-orm'
import type { CaseEvent, CaseEventStore } from '../../../domain/cases/case-store.ts'
import type { EventStore, Origin } from '../../../domain/store.ts'
import { JsonText } from '../../../json/json-text.ts'
import type { Database } from '../../database.ts'
import { columnsOf, type Dialect, insertValues, placeholders } from '../../dialect.ts'
import { createPageByParent } from '../../page-by-parent.ts'
import type { RowOf } from '../../tables/tables-of.ts'
import { all, type Work } from '../../work.ts'
import type { TakeNumbers } from '../counters.ts'

// Longer ones are loaded when a document asks for them: a page may have a thousand of 2 MiB.
const maxShortBytes = 4_096

const columns = [
  ...['accountCode', 'id', 'kind', 'caseId', 'caseTypeCode', 'version', 'changedFields', 'longFields'],
  ...['changedBytes', 'byUserId', 'byEmail', 'functionName', 'transactionId'],
] as const

export interface NewCaseEvent
  extends Pick<CaseEvent, 'kind' | 'caseId' | 'caseTypeCode' | 'version' | 'functionName'> {
  /** JSON. */
  readonly changedFields: string
}

/** For the transaction of the change itself. */
export type AppendCaseEvent = (origin: Origin, event: NewCaseEvent) => Work<unknown>

export function createCaseEventStore(
  database: Database,
  onChange: EventStore<CaseEvent>['onChange'],
): CaseEventStore {
  const { prepare, prepareMany, read, tables } = database
  const { caseEvents } = tables
  const selection = selectEvent(tables)
  const given = placeholders('accountCode', 'sequence', 'limit')
  const select = sql`select ${columnsOf(selection)} from case_events where account_code = ${given.accountCode}`
  const listAfter = prepareMany(
    sql`${select} and id > ${given.sequence} order by id limit ${given.limit}`,
    selection,
  )
  const newest = prepare(
    sql`
      select id from case_events where account_code = ${given.accountCode} order by id desc limit 1`,
    { id: caseEvents.id },
  )
  const pageByCase = createPageByParent(database, { table: caseEvents, parent: 'caseId', selection })
  const whole = { id: caseEvents.id, longFields: caseEvents.longFields }
  const { findByIds } = database.findByIds(caseEvents, whole, 0)
  return {
    onChange,
    async listAfter(accountCode, sequence, limit) {
      return (await read(listAfter, { accountCode, sequence, limit })).map(toEvent)
    },
    async newest(accountCode) {
      const [event] = await read(newest, { accountCode })
      return event?.id ?? 0
    },
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

function selectEvent({ caseEvents: events }: Dialect['tables']) {
  return {
    id: events.id,
    kind: events.kind,
    caseId: events.caseId,
    caseTypeCode: events.caseTypeCode,
    version: events.version,
    changedFields: events.changedFields,
    changedBytes: events.changedBytes,
    userId: events.byUserId,
    email: events.byEmail,
    functionName: events.functionName,
    transactionId: events.transactionId,
    at: events.createdAt,
  }
}

function toEvent({ id, changedFields, ...row }: RowOf<ReturnType<typeof selectEvent>>): CaseEvent {
  return { ...row, sequence: id, changedFields: changedFields === null ? null : new JsonText(changedFields) }
}

export function createAppendCaseEvent({ prepare }: Dialect, takeNumbers: TakeNumbers): AppendCaseEvent {
  const insert = prepare(sql`insert into case_events ${insertValues(...columns)}`)
  return function* appendEvent({ accountCode, userId, email, transactionId }, event) {
    const changedBytes = Buffer.byteLength(event.changedFields)
    const isShort = changedBytes <= maxShortBytes
    yield* all(insert, {
      accountCode,
      id: yield* takeNumbers(accountCode, 'case event'),
      ...event,
      changedFields: isShort ? event.changedFields : null,
      longFields: isShort ? null : event.changedFields,
      changedBytes,
      byUserId: userId,
      byEmail: email,
      transactionId,
    })
  }
}
