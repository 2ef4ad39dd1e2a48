import { sql } from 'drizzle-orm'
import { maxWaiting, tooMuchQueued } from '../../../domain/queue/waiting-limits.ts'
import { insertInto } from '../../columns.ts'
import type { Database } from '../../database.ts'
import { all, first, only, unread, type Work } from '../../work.ts'
import { raiseCounters, type TakeNumbers } from '../counters.ts'
import { buildTakeIds } from '../queue/enqueue.ts'
import type { CaseReads, StoredCase } from './case-rows.ts'
import type { CaseStatements } from './case-statements.ts'
import { longestCaseId, sum } from './planned-change.ts'
import type { SaveAll, SaveKind, SaveValues, SharedValues } from './save-statements.ts'

interface Dependencies {
  readonly database: Database
  readonly statements: CaseStatements
  readonly takeNumbers: TakeNumbers
  readonly reads: Pick<CaseReads, 'forget'>
}

interface Saved {
  readonly save: SaveValues
  readonly row: StoredCase
  readonly place: number
  /** Bytes that were measured for the id of a new case in the options of its runs, and are not needed. */
  readonly excess: number
}

/**
 * Does the same as `prepareSaves` for SQLite, with two statements for each save and a few for all of them. One
 * statement would take longer, because SQLite passes the rows of its parts on as JSON.
 */
export function prepareSavesInSteps(dependencies: Dependencies): Readonly<Record<SaveKind, SaveAll>> {
  const own = prepareStatements(dependencies.database)
  const prepare = (kind: SaveKind) => prepareKind({ ...dependencies, own }, kind)
  return { saved: prepare('saved'), created: prepare('created') }
}

function prepareKind(
  { statements, own, takeNumbers, reads }: Dependencies & { readonly own: OwnStatements },
  kind: SaveKind,
): SaveAll {
  const { lockType, update, insert } = statements
  const { raise, append, take } = own

  // Returns the saves whose type is as it was read; none if the account has no room for all of them.
  function* findFitting(saves: readonly SaveValues[], shared: SharedValues): Work<readonly SaveValues[]> {
    const { accountCode, addedBytes, roomBytes } = shared
    const more = { waiting: shared.addedWaiting, waitingBytes: shared.addedWaitingBytes }
    const revisions = new Map<string, number | null>()
    for (const { caseTypeCode } of saves) {
      if (revisions.has(caseTypeCode)) continue
      const now = yield* only(lockType, { accountCode, caseTypeCode })
      if (now.storedBytes + addedBytes > roomBytes) return []
      if (tooMuchQueued(now, more, shared.maxWaitingBytes) !== null) return []
      revisions.set(caseTypeCode, now.revision)
    }
    return saves.filter(save => revisions.get(save.caseTypeCode) === save.revision)
  }

  function* change(accountCode: string, save: SaveValues): Work<StoredCase | undefined> {
    reads.forget(accountCode, save.caseId)
    return yield* first(update, { ...save, id: save.caseId, version: save.version - 1 })
  }

  function* writeCases(accountCode: string, saves: readonly SaveValues[], given: readonly SaveValues[]) {
    const written: Saved[] = []
    let id = kind === 'created' ? yield* takeNumbers(accountCode, 'case', saves.length) : 0
    for (const save of saves) {
      const row = yield* kind === 'created' ? only(insert, { ...save, id: id++ }) : change(accountCode, save)
      if (row === undefined) continue
      const excess = save.idPlaces * (String(longestCaseId).length - String(row.id).length)
      written.push({ save, row, place: given.indexOf(save) + 1, excess })
    }
    return written
  }

  function* takeIds(written: readonly Saved[], { accountCode, maxWaitingBytes }: SharedValues) {
    const count = sum(written.map(({ save }) => save.waiting))
    if (count === 0) return null
    const waitingBytes = sum(written.map(({ save, excess }) => save.waitingBytes - excess))
    const { lastId } = yield* only(take, { accountCode, count, waitingBytes, maxWaiting, maxWaitingBytes })
    return lastId
  }

  return function* saveAll(saves, shared) {
    const { accountCode } = shared
    const fitting = yield* findFitting(saves, shared)
    if (fitting.length === 0) return []
    const written = yield* writeCases(accountCode, fitting, saves)
    if (written.length === 0) return []
    const lastId = yield* takeIds(written, shared)
    const storedBytes = sum(written.map(({ save, excess }) => save.storedBytes - excess))
    const raised = yield* raise(accountCode, { storedBytes, events: written.length })
    let id = raised - written.length
    for (const { save, row } of written) yield* append({ ...save, caseId: row.id, id: ++id })
    return written.map(({ row, place }) => ({ ...row, place, lastId }))
  }
}

type OwnStatements = ReturnType<typeof prepareStatements>

function prepareStatements(database: Database) {
  const { prepare, typed, tables } = database
  const integer = (name: string) => typed(sql.placeholder(name), 'integer')
  const { name, value } = tables.counters
  const raiseBoth = prepare(
    sql`
      ${raiseCounters([
        { name: 'stored byte', count: integer('storedBytes') },
        { name: 'case event', count: integer('events') },
      ])}
      returning name, value`,
    { name, value },
  )
  const event = prepare(insertInto(tables.caseEvents, { omit: ['createdAt'] }))
  return {
    /** Returns the sequence number of the last event. */
    *raise(
      accountCode: string,
      counts: { readonly storedBytes: number; readonly events: number },
    ): Work<number> {
      const raised = yield* all(raiseBoth, { accountCode, ...counts })
      const events = raised.find(counter => counter.name === 'case event')
      if (events === undefined) throw new Error('The counter of events was not raised.')
      return events.value
    },
    append: (values: SaveValues & { readonly id: number }) => unread(event, values),
    take: prepare(buildTakeIds(database), { lastId: tables.queueAccounts.lastId }),
  }
}
