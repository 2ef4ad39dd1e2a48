/** Bytes that a key or a step counts for: about one row with its indexes, for the longest key. */
export const rowBytes = 1024

/**
 * Requests with an idempotency key, and their answers, for all gateways of a store. A gateway claims a key before it
 * runs the request, and stores the answer before it sends the answer. The store counts the bytes of the keys
 * of each account: `rowBytes` for each key and each step, and the bytes of their answers and results.
 */
export interface IdempotencyStore {
  claim(request: ClaimRequest): Promise<ClaimResult>
  /** Extends the claim to `leaseMs` from now. Does nothing if another gateway has taken it over. */
  renew(claim: Claim, leaseMs: number): Promise<void>
  /**
   * Stores the answer, which is not empty. `full`: with it the account would take more than `maxBytes` (null: no
   * maximum). `lost`: another gateway has taken the claim over. Both store nothing.
   */
  storeAnswer(claim: Claim, answer: Buffer, maxBytes: number | null): Promise<'kept' | 'full' | 'lost'>
  /**
   * Releases the claim without an answer. `undone`: the key is free again, and keeps the steps that were made under it.
   * `unknown`: the same request may be tried again under it, unless it can only be tried once.
   */
  release(claim: Claim, outcome: 'undone' | 'unknown'): Promise<void>
  /**
   * Deletes up to `maxKeys` keys that were first claimed before this age, with their steps. Returns their number: 0 at
   * the end.
   */
  deleteExpired(ageMs: number, maxKeys: number): Promise<number>
}

export interface Claim {
  readonly accountCode: string
  readonly key: string
  /**
   * Identifies one start of a gateway. A gateway never claims a key twice at once, so if it finds its own claim, it has
   * lost that claim.
   */
  readonly holder: string
}

export interface ClaimRequest extends Claim {
  /** Identifies the request: another request with the same key is refused. */
  readonly fingerprint: Buffer
  /** The fingerprint that the previous version of the gateway makes of the same request, if it differs. */
  readonly lastFingerprint?: Buffer
  /** Without a renewal for this long, another gateway may take the claim over. */
  readonly leaseMs: number
  /** A key that was claimed before this age counts as absent. */
  readonly retentionMs: number
  /** The maximum that the keys of the account may take, this one included. */
  readonly maxBytes: number
  /** False if the request must not be tried again after its gateway died. */
  readonly isRepeatable: boolean
}

/**
 * `other`: the key belongs to another request. `held`: a living gateway works on it. `cut off`: the first attempt ended
 * without an answer and must not be repeated. `full`: the key is new, and the account's keys are at their limit.
 */
export type ClaimResult =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'answered'; readonly answer: Buffer }
  | { readonly kind: 'other' }
  | { readonly kind: 'held' }
  | { readonly kind: 'cut off' }
  | { readonly kind: 'full' }
