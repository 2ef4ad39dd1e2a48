import { type StoreLimits, storedRowBytes } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { Refusal, type Work } from '../../work.ts'
import type { Parts } from '../parts.ts'
import type { TakenIds } from '../queue/enqueue.ts'
import { measureStored, measureWaiting } from '../queue/queued-inputs.ts'
import { measureTexts } from '../runs/write-runs.ts'
import { toEventValues } from './case-events.ts'
import type { CaseReads, StoredCase } from './case-rows.ts'
import type { CaseStatements } from './case-statements.ts'
import type { FieldValues } from './field-values.ts'
import { findQueued, type PlannedChange, sum } from './planned-change.ts'
import { prepareSavesInSteps } from './save-in-steps.ts'
import { prepareSaves, type SaveKind, type SaveValues } from './save-statements.ts'

// Bytes below the account's maximum from which on the usual transaction compares exactly on PostgreSQL, because several
// saves at once could each find room for themselves. It is as much as `savesAtOnce` of this size add, and at least
// `marginBytes`. On SQLite it is one byte: runs that are kept with a save compare nothing, and have room then.
const marginBytes = 64 * 2 ** 20
const savesAtOnce = 16

/** What a save or a new case writes at once. */
interface SavedAtOnce {
  readonly row: StoredCase
  /** The ids of the runs that it queues; undefined if the queue is full. */
  readonly taken: TakenIds
}

interface SaveAtOnce {
  /** Saves or creates a case, its indexed values and the runs that it queues, together with others of the account. */
  together(change: PlannedChange): Promise<StoredCase | null>
  /** Saves or creates a case in a transaction that writes more, and takes the ids of the runs that it queues. */
  inside(change: PlannedChange): Work<SavedAtOnce | null>
}

interface Dependencies extends Pick<Parts, 'enqueue' | 'takeNumbers'> {
  readonly database: Database
  readonly statements: CaseStatements
  readonly limits: StoreLimits
  readonly values: FieldValues
  readonly reads: Pick<CaseReads, 'forget'>
}

/**
 * Saves or creates cases with their events. Those that come together share statements, and on PostgreSQL one round
 * trip. The result is null for a save if anything else was found than was read, and for every change that needs more.
 * Then nothing was written, and the usual statements say why.
 */
export function createSaveAtOnce(dependencies: Dependencies): SaveAtOnce {
  const { database, limits, values, enqueue } = dependencies
  const { together, isShared } = database
  const saveAll = isShared ? prepareSaves(database) : prepareSavesInSteps(dependencies)

  function* save(accountCode: string, kind: SaveKind, saves: readonly PlannedChange[]) {
    const bytes = sum(saves.map(findBytes))
    const more = measureWaiting(saves.flatMap(({ queued }) => queued))
    return yield* saveAll[kind](saves.map(toValues), {
      accountCode,
      // Without what some of them free, because those may not be saved.
      addedBytes: sum(saves.map(({ addedBytes }) => Math.max(0, addedBytes))),
      addedWaiting: more.waiting,
      addedWaitingBytes: more.waitingBytes,
      roomBytes: limits.accountBytes - (isShared ? Math.max(marginBytes, savesAtOnce * bytes) : 1),
      maxWaitingBytes: limits.queueBytes,
    })
  }

  function* saveTogether(accountCode: string, kind: SaveKind, saves: readonly PlannedChange[]) {
    const saved = (yield* save(accountCode, kind, saves)).flatMap(({ place, lastId, ...row }) => {
      const change = saves[place - 1]
      return change === undefined ? [] : { change, lastId, row }
    })
    const written = saved.flatMap(({ change: { wanted }, row }) =>
      wanted.values === null ? [] : { ...row, values: wanted.values },
    )
    for (const [caseTypeCode, rows] of Map.groupBy(written, row => row.caseTypeCode)) {
      yield* values.write(accountCode, caseTypeCode, rows, kind === 'created')
    }
    const queued = saved.flatMap(({ change, row }) => findQueued(change, row))
    const ids = yield* enqueue(accountCode, queued, { row: toTaken(saved[0]?.lastId) })
    if (ids instanceof Refusal) return ids
    const rows = new Map(saved.map(({ change, row }) => [change, row]))
    return saves.map(change => rows.get(change) ?? null)
  }

  const shareFor = (kind: SaveKind) =>
    together<PlannedChange, StoredCase>({
      work: (accountCode, saves) => saveTogether(accountCode, kind, saves),
      isOneStatement: saves =>
        saves.every(({ wanted, queued }) => wanted.values === null && queued.length === 0),
      hasQueued: ({ queued }) => queued.length > 0,
      keyOf: change => change.wanted.read?.id ?? change,
      measure: findBytes,
    })
  const share = { saved: shareFor('saved'), created: shareFor('created') }

  return {
    together: async change =>
      canShare(change) ? share[kindOf(change)](change.wanted.origin.accountCode, change) : null,
    *inside(change) {
      if (change.wanted.data === null || canShare(change)) return null
      const [saved] = yield* save(change.wanted.origin.accountCode, kindOf(change), [change])
      if (saved === undefined) return null
      const { place: _, lastId, ...row } = saved
      return { row, taken: toTaken(lastId) }
    },
  }
}

function kindOf({ wanted }: PlannedChange): SaveKind {
  return wanted.read === null ? 'created' : 'saved'
}

/** True for a save or a new case that writes neither a step nor deciding runs: others may share its transaction. */
function canShare({ wanted: { data, origin, runs } }: PlannedChange): boolean {
  return data !== null && origin.step === null && runs === null
}

/** The bytes of the texts that a save sends, and those of its rows: the case, its values and its queued runs. */
function findBytes({ wanted: { data, changedFields, runs, values }, queued }: PlannedChange): number {
  const { inserts, ends } = runs ?? { inserts: [], ends: [] }
  const texts = Buffer.byteLength(data ?? '') + Buffer.byteLength(changedFields)
  const rows = (1 + (values?.length ?? 0)) * storedRowBytes
  return texts + rows + measureStored(queued) + measureTexts([...inserts, ...ends])
}

function toValues(change: PlannedChange): SaveValues {
  const { wanted, queued, addedBytes } = change
  const { origin, caseTypeCode, read, revision, data, changedFields, functionName, leaseHolder } = wanted
  const event = {
    kind: kindOf(change),
    caseId: read?.id ?? 0,
    caseTypeCode,
    version: (read?.version ?? 0) + 1,
    changedFields,
    functionName,
  }
  const { waiting, waitingBytes } = measureWaiting(queued)
  return {
    ...toEventValues(origin, event, addedBytes),
    leaseHolder,
    revision,
    data,
    dataBytes: Buffer.byteLength(data ?? ''),
    waiting,
    waitingBytes,
    idPlaces: read === null ? queued.length : 0,
  }
}

function toTaken(lastId: number | null | undefined): TakenIds {
  return lastId === null || lastId === undefined ? undefined : { lastId }
}
