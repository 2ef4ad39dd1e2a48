import { randomUUID } from 'node:crypto'
import { RostrumError } from '../../errors.ts'
import { pause } from '../../signals/pause.ts'
import { readChangedFields } from '../case-data/changed-fields.ts'
import type { DeferredRuns } from '../runs/deferred-runs.ts'
import {
  type Attempt,
  beginAttempt,
  type Change,
  type ChangedCase,
  type ChangeParts,
  type ChangeRequest,
  type ChangeSteps,
  tryToChange,
} from './attempt-change.ts'
import { refuseOwnCase, tooManyConflicts } from './case-failures.ts'
import type { CaseStore } from './case-store.ts'

const maxAttempts = 3
// Time between attempts to take the lease. Another gateway holds it for as long as one save takes.
const pollEveryMs = 20

/**
 * Changes a case, in the numbered steps of contract section 7. All changes go through here. `ask` applies the request
 * to the case as it was read. After a conflict it is called again, so that a merge starts from the new data.
 */
export async function changeCase(
  parts: ChangeParts,
  request: ChangeRequest,
  steps: ChangeSteps,
): Promise<ChangedCase> {
  try {
    return await changeInTurn({ parts, request, steps })
  } finally {
    request.work.pause()
  }
}

async function changeInTurn(change: Change): Promise<ChangedCase> {
  const { parts, request } = change
  const { origin, id, asking, deadline } = request
  const { parentRun, signal } = asking
  const { accountCode } = origin
  if (id !== null) refuseOwnCase(id, parentRun)

  // 1. If an earlier request with the same key was committed, returns its result, whatever the version is now.
  const earlier = await parts.store.findCommitted(origin)
  if (earlier !== null) {
    const { row, changedFields, runIds, transactionId } = earlier
    const runs = { runIds, whenKept: async () => undefined }
    const changed = readChangedFields(changedFields.text)
    const data = row.data?.text ?? null
    return { row, isSaved: true, changed, changedFields, data, transactionId, runs }
  }
  const first = await beginAttempt(change, 1)

  const runs = parts.deferRuns()
  try {
    // 2. Waits for the turn of the case.
    if (id === null || parentRun !== null || request.dryRun) return await attemptAll(change, first, runs)
    request.work.pause()
    const turn = await parts.turns.take({ accountCode, id, deadline: halfwayTo(deadline), signal })
    try {
      return await attemptAll(change, turn.hasWaited ? await beginAttempt(change, 1) : first, runs)
    } finally {
      turn.end()
    }
  } catch (error) {
    // The caller may read the runs that a refusal names at once, at any gateway, so wait until they are stored.
    if (error instanceof RostrumError && error.code !== 'UNAVAILABLE') await runs.whenKept()
    throw error
  }
}

// A save that got its turn shortly before its deadline would end as a time-out of its hooks.
function halfwayTo(deadline: number): number {
  return (performance.now() + deadline) / 2
}

async function attemptAll(change: Change, first: Attempt, runs: DeferredRuns): Promise<ChangedCase> {
  const { store } = change.parts
  const { id, origin } = change.request
  const holding = { leaseHolder: randomUUID(), runs }
  let holdsLease = false
  let attempt = first
  try {
    for (;;) {
      const done = await tryToChange(change, attempt, holding)
      if (done !== null) return done
      if (attempt.count === maxAttempts) throw tooManyConflicts(id)
      change.request.work.pause()
      if (id !== null) {
        holdsLease = await takeLease(store, change.request, { id, holder: holding.leaseHolder })
      }
      attempt = await beginAttempt(change, attempt.count + 1)
      holding.runs.supersede()
    }
  } finally {
    holding.runs.keep()
    if (holdsLease && id !== null) {
      await store.release(origin.accountCode, id, holding.leaseHolder).catch(() => undefined)
    }
  }
}

// Takes the lease of the case, so that other gateways do not try to change it at the same time. If the deadline passes,
// the attempt continues without the lease. A change from a script does not wait, because the holder may be waiting for
// that script's transaction.
async function takeLease(
  store: CaseStore,
  { origin: { accountCode }, deadline, asking: { signal, parentRun } }: ChangeRequest,
  { id, holder }: { readonly id: number; readonly holder: string },
): Promise<boolean> {
  for (;;) {
    const ms = Math.max(1, Math.ceil(deadline - performance.now()))
    if (await store.lease(accountCode, id, { holder, ms })) return true
    if (parentRun !== null || performance.now() + pollEveryMs >= deadline) return false
    await pause(pollEveryMs, signal)
  }
}
