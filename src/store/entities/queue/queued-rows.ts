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

/** The columns of a run that a holder gets. */
export function selectClaimed(tables: Dialect['tables']) {
  const { state: _, dueAt: __, lastError: ___, ...facts } = selectQueued(tables)
  const { accountCode, causedBy, scopes, holder, input, options } = tables.queuedRuns
  return { accountCode, ...facts, causedBy, scopes, holder, input, options }
}

type QueuedRow = RowOf<ReturnType<typeof selectQueued>>
type ClaimedRow = RowOf<ReturnType<typeof selectClaimed>>

/** Its time is text if the row was kept as the result of an idempotency step. */
export function toQueuedRun({ state, dueAt, lastError, ...row }: QueuedRow): QueuedRun {
  return {
    ...row,
    state: stateOf(state),
    dueAt: new Date(dueAt),
    lastError: lastError === null ? null : JSON.parse(lastError),
  }
}

export function toClaimedRun({ causedBy, scopes, holder, ...row }: ClaimedRow): ClaimedRun {
  return {
    ...row,
    causedBy: JSON.parse(causedBy),
    scopes: scopes === '' ? [] : scopes.split(' '),
    holder: holder ?? '',
  }
}

function stateOf(state: StoredState): QueuedRun['state'] {
  return state === 'blocked' ? 'waiting' : state
}
