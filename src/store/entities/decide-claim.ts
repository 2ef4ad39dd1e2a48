import type { ClaimRequest, ClaimResult } from '../../domain/idempotency/idempotency.ts'

/** A key that was claimed before. */
export interface ClaimedKey {
  readonly fingerprint: Buffer
  readonly isExpired: boolean
  /** A living gateway is at it. */
  readonly isHeld: boolean
  /** Null before there is one, `cannotRepeat` where the request can only be tried once. */
  readonly answer: Buffer | null
}

/** Stands where the answer will be: no answer is empty. */
export const cannotRepeat = Buffer.alloc(0)

/** What a claim comes to on a key that was claimed before: `expired` is to be made anew, and `claimed` to be taken over. */
export function decideClaim(
  found: ClaimedKey,
  { fingerprint }: ClaimRequest,
): ClaimResult | { readonly kind: 'expired' } {
  if (found.isExpired) return { kind: 'expired' }
  if (!found.fingerprint.equals(fingerprint)) return { kind: 'other' }
  const { answer } = found
  if (answer !== null && answer.length > 0) return { kind: 'answered', answer }
  if (found.isHeld) return { kind: 'held' }
  return { kind: answer === null ? 'claimed' : 'cut off' }
}

/** What stands where the answer will be while a request is in work. */
export function unanswered({ isRepeatable }: ClaimRequest): Buffer | null {
  return isRepeatable ? null : cannotRepeat
}
