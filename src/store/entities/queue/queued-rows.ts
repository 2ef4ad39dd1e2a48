import type { ClaimedRun, QueuedRun, StoredState } from '../../../domain/queue/queue-store.ts'
import type { Dialect } from '../../dialect.ts'
import type { RowOf } from '../../tables/tables-of.ts'

/** The columns of a queued run without its input. */
export function selectQueued({ queuedRuns }: Dialect['tables']) {
  const { id, state, trigger, event, hookId, webhookId, functionId, name, caseTypeCode } = queuedRuns
  const { caseId, caseVersion, txnId, generation, attempt, dueAt, lastError } = queuedRuns
  const what = { id, state, trigger, event, hookId, webhookId, functionId, name, caseTypeCode }
  return { ...what, caseId, caseVersion, txnId, generation, attempt, dueAt, lastError }
}

/** The columns of a run that a holder gets, without its input. */
export function selectClaimed(tables: Dialect['tables']) {
  const { state: _, dueAt: __, lastError: ___, ...facts } = selectQueued(tables)
  const { accountCode, causedBy, scopes, holder, inputId } = tables.queuedRuns
  return { accountCode, ...facts, causedBy, scopes, holder, inputId }
}

type QueuedRow = RowOf<ReturnType<typeof selectQueued>>

export interface ClaimedRow extends RowOf<ReturnType<typeof selectClaimed>> {
  /** Null for the input of an earlier row. */
  readonly input: string | null
  readonly options: string | null
}

/** Its time is text if the row was kept as the result of an idempotency step. */
export function toQueuedRun({ state, dueAt, lastError, ...row }: QueuedRow): QueuedRun {
  return {
    ...row,
    state: stateOf(state),
    dueAt: new Date(dueAt),
    lastError: lastError === null ? null : JSON.parse(lastError),
  }
}

/** The rows of one claim. Those with one input share its texts. */
export function toClaimedRuns(rows: readonly ClaimedRow[]): ClaimedRun[] {
  const inputs = new Map<number, Pick<ClaimedRun, 'input' | 'options'>>()
  for (const { inputId, input, options } of rows) {
    if (input !== null && options !== null) inputs.set(inputId, { input, options })
  }
  return rows.map(row => toClaimedRun(row, inputs.get(row.inputId)))
}

function toClaimedRun(
  { causedBy, scopes, holder, inputId: _, ...row }: ClaimedRow,
  { input, options } = { input: 'null', options: '{}' },
): ClaimedRun {
  return {
    ...row,
    input,
    options,
    causedBy: JSON.parse(causedBy),
    scopes: scopes === '' ? [] : scopes.split(' '),
    holder: holder ?? '',
  }
}

function stateOf(state: StoredState): QueuedRun['state'] {
  return state === 'blocked' ? 'waiting' : state
}
