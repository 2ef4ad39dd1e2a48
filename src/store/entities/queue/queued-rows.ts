import type { HeldRun } from '../../../domain/queue/held-runs.ts'
import type { CausedBy, ClaimedRun, QueuedRun, StoredState } from '../../../domain/queue/queue-store.ts'
import type { RunError } from '../../../domain/scripts/run.ts'
import { readStored, unreadable } from '../../../json/read-stored.ts'
import { select } from '../../columns.ts'
import type { Dialect } from '../../dialect.ts'
import type { RowOf } from '../../tables/tables-of.ts'

/** The columns of a queued run without its input. */
export function selectQueued({ queuedRuns }: Dialect['tables']) {
  const claiming = ['claimAt', 'holder', 'causedBy', 'scopes', 'inputId'] as const
  return select(queuedRuns, { omit: ['accountCode', 'lane', 'createdAt', ...claiming] })
}

/** The columns of a run that a holder gets, without its input. */
export function selectClaimed({ queuedRuns }: Dialect['tables']) {
  return select(queuedRuns, { omit: ['state', 'lane', 'dueAt', 'claimAt', 'lastError', 'createdAt'] })
}

type QueuedRow = RowOf<ReturnType<typeof selectQueued>>

export interface ClaimedRow extends RowOf<ReturnType<typeof selectClaimed>> {
  /** Null for the input of an earlier row. */
  readonly input: string | null
  readonly options: string | null
}

/**
 * Its time is text if the row was kept as the result of an idempotency step. A last error that cannot be read throws
 * when it is asked for, so that the rest of the row and of its list are readable.
 */
export function toQueuedRun({ state, dueAt, lastError, ...row }: QueuedRow): QueuedRun {
  return {
    ...row,
    state: stateOf(state),
    dueAt: new Date(dueAt),
    get lastError() {
      if (lastError === null) return null
      return readStored<RunError>(lastError, { table: 'queued_runs', column: 'last_error', id: row.id })
    },
  }
}

export type Inputs = ReadonlyMap<number, Pick<ClaimedRun, 'input' | 'options'>>

/** The inputs of the rows of one claim, by their ids. Rows with one input share its texts. */
export function findInputs(rows: readonly ClaimedRow[]): Inputs {
  const inputs = new Map<number, Pick<ClaimedRun, 'input' | 'options'>>()
  for (const { inputId, input, options } of rows) {
    if (input !== null && options !== null) inputs.set(inputId, { input, options })
  }
  return inputs
}

/** Throws an error that names the row if it cannot be read. */
export function toClaimedRun({ causedBy, holder, inputId, ...row }: ClaimedRow, inputs: Inputs): ClaimedRun {
  const { input, options } = inputs.get(inputId) ?? { input: 'null', options: '{}' }
  return {
    ...row,
    input,
    options,
    causedBy: readCausedBy(causedBy, row.id),
    holder: holder ?? '',
  }
}

/** The rows that a holder has, or had. */
export function toHeldRuns(rows: readonly Pick<ClaimedRow, 'id' | 'holder'>[]): HeldRun[] {
  return rows.flatMap(({ id, holder }) => (holder === null ? [] : { id, holder }))
}

function readCausedBy(text: string, id: number): CausedBy {
  const place = { table: 'queued_runs', column: 'caused_by', id }
  const value = readStored<Partial<CausedBy> | null>(text, place)
  if (value === null || typeof value !== 'object') throw unreadable(place)
  const { userId = null, subject = null, email = null, displayName = null } = value
  const texts = [subject, email, displayName]
  const isRead = texts.every(each => each === null || typeof each === 'string')
  if (!isRead || (userId !== null && !Number.isSafeInteger(userId))) throw unreadable(place)
  return { userId, subject, email, displayName }
}

function stateOf(state: StoredState): QueuedRun['state'] {
  return state === 'blocked' ? 'waiting' : state
}
