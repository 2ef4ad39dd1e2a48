import {
  type IdempotencyStore,
  type KeyClaim,
  type KeyClaimRequest,
  type KeyClaimResult,
  rowBytes,
} from '../../domain/idempotency/idempotency.ts'
import type { Database } from '../database.ts'
import type { Dialect, Values } from '../dialect.ts'
import { all, first, only, type Work } from '../work.ts'
import { prepareIdempotencyStatements } from './key-statements.ts'

// Marks a key without an answer whose request can only be tried once. A real answer is never empty.
const cannotRepeat = Buffer.alloc(0)

/** Changes keys, inside the transactions of several stores. */
export interface KeyWork {
  claim(request: KeyClaimRequest): Work<KeyClaimResult>
  renew(claim: KeyClaim, leaseMs: number): Work<unknown>
  storeAnswer(claim: KeyClaim, answer: Buffer, maxBytes: number | null): Work<'kept' | 'full' | 'lost'>
  release(claim: KeyClaim, outcome: 'undone' | 'unknown'): Work<void>
  /** Returns a row for each deleted key. */
  deleteOld(ageMs: number, maxKeys: number): Work<readonly unknown[]>
}

export function createKeyWork(dialect: Dialect): KeyWork {
  const statements = prepareIdempotencyStatements(dialect)

  function* claim(request: KeyClaimRequest): Work<KeyClaimResult> {
    const { fingerprint, lastFingerprint = fingerprint } = request
    const values = {
      ...request,
      lastFingerprint,
      answer: request.isRepeatable ? null : cannotRepeat,
      ageMs: -request.retentionMs,
    }
    for (;;) {
      if ((yield* first(statements.insert, values)) !== undefined) return { kind: 'claimed' }
      const result = yield* claimAgain(request, values)
      if (result !== null) return result
    }
  }

  /** Returns null if the key changed between two statements. */
  function* claimAgain(request: KeyClaimRequest, values: Values): Work<KeyClaimResult | null> {
    const found = yield* first(statements.find, values)
    if (found === undefined) return yield* refuseWhenFull(request)
    if (found.isExpired) return yield* replaceExpired(values)
    if (!isOfRequest(found.fingerprint, request)) return { kind: 'other' }
    const { answer } = found
    if (answer !== null && answer.length > 0) return { kind: 'answered', answer }
    if (found.isHeld) return { kind: 'held' }
    if (answer !== null) return { kind: 'cut off' }
    return (yield* first(statements.takeOver, values)) ? { kind: 'claimed' } : null
  }

  function* refuseWhenFull({ accountCode, maxBytes }: KeyClaimRequest): Work<KeyClaimResult | null> {
    const { heldBytes } = yield* only(statements.findUsage, { accountCode })
    return heldBytes + rowBytes > maxBytes ? { kind: 'full' } : null
  }

  // The new key takes the bytes of the deleted one, so there is no limit to check.
  function* replaceExpired(values: Values): Work<KeyClaimResult | null> {
    const deleted = yield* first(statements.deleteExpired, values)
    if (deleted === undefined) return null
    const inserted = yield* first(statements.insert, { ...values, maxBytes: Number.MAX_SAFE_INTEGER })
    return inserted ? { kind: 'claimed' } : null
  }

  function* storeAnswer(
    claim: KeyClaim,
    answer: Buffer,
    maxBytes: number | null,
  ): Work<'kept' | 'full' | 'lost'> {
    const values = { ...claim, answer, maxBytes: maxBytes ?? Number.MAX_SAFE_INTEGER }
    if ((yield* first(statements.storeAnswer, values)) !== undefined) return 'kept'
    return (yield* first(statements.findClaim, { ...claim })) === undefined ? 'lost' : 'full'
  }

  function* release(claim: KeyClaim, outcome: 'undone' | 'unknown'): Work<void> {
    const isUndone = outcome === 'undone'
    if (isUndone && (yield* first(statements.withdraw, { ...claim })) !== undefined) return
    yield* all(statements.free, { ...claim, mayAnyone: isUndone })
  }

  return {
    claim,
    renew: (claim, leaseMs) => all(statements.renew, { ...claim, leaseMs }),
    storeAnswer,
    release,
    deleteOld: (ageMs, maxKeys) => all(statements.deleteOld, { ageMs: -ageMs, maxKeys }),
  }
}

function isOfRequest(
  found: Buffer,
  { fingerprint, lastFingerprint = fingerprint }: KeyClaimRequest,
): boolean {
  return found.equals(fingerprint) || found.equals(lastFingerprint)
}

/**
 * Uses the database's clock, since the clocks of the gateways may differ. Calls `afterAnswer` with the bytes of each
 * kept answer.
 */
export function createIdempotencyStore(
  { writeEach, isShared }: Database,
  keys: KeyWork,
  afterAnswer: (bytes: number) => void = () => {},
): IdempotencyStore {
  return {
    claim: request =>
      writeEach(request.accountCode, () => keys.claim(request), {
        hasChanged: ({ kind }) => kind === 'claimed',
      }),
    async renew(claim, leaseMs) {
      if (isShared) await writeEach(claim.accountCode, () => keys.renew(claim, leaseMs))
    },
    async storeAnswer(claim, answer, maxBytes) {
      const work = () => keys.storeAnswer(claim, answer, maxBytes)
      const outcome = await writeEach(claim.accountCode, work, { hasChanged: outcome => outcome === 'kept' })
      if (outcome === 'kept') afterAnswer(answer.length)
      return outcome
    },
    release: (claim, outcome) => writeEach(claim.accountCode, () => keys.release(claim, outcome)),
    async deleteExpired(ageMs, maxKeys) {
      const deleted = await writeEach(null, () => keys.deleteOld(ageMs, maxKeys), {
        hasChanged: rows => rows.length > 0,
      })
      return deleted.length
    },
  }
}
