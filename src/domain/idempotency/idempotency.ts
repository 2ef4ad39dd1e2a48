/** Number of bytes that each key and each step counts for: about one row with its indexes, for the longest key. */
export const rowBytes = 1024

/**
 * Stores requests with an idempotency key and their answers, for all gateways that share the store. A gateway claims a
 * key before it runs the request, and stores the answer before it sends it. The store limits the bytes of each
 * account's keys: `rowBytes` for each key and each step, and the bytes of their answers and results.
 */
export interface IdempotencyStore {
  claim(request: KeyClaimRequest): Promise<KeyClaimResult>
  /** Extends the claim to `leaseMs` from now. Does nothing if another gateway has taken it over. */
  renew(claim: KeyClaim, leaseMs: number): Promise<void>
  /**
   * Stores the answer, which is not empty. Returns `full` and stores nothing if the account would then use more than
   * `maxBytes` (null: no maximum). Returns `lost` and stores nothing if another gateway has taken the claim over.
   */
  storeAnswer(claim: KeyClaim, answer: Buffer, maxBytes: number | null): Promise<'kept' | 'full' | 'lost'>
  /**
   * Releases the claim without an answer. After `undone` the key is free again, and keeps the steps made under it.
   * After `unknown` the same request may be tried again under the key, unless it is not repeatable.
   */
  release(claim: KeyClaim, outcome: 'undone' | 'unknown'): Promise<void>
  /**
   * Deletes up to `maxKeys` keys that were first claimed longer ago than this age, with their steps. Returns how many
   * it deleted; 0 means that none are left.
   */
  deleteExpired(ageMs: number, maxKeys: number): Promise<number>
}

export interface KeyClaim {
  readonly accountCode: string
  readonly key: string
  /**
   * Identifies one start of a gateway. A gateway never claims the same key twice at once. So if it finds its own claim,
   * it has lost track of that claim, and may claim the key again.
   */
  readonly holder: string
}

export interface KeyClaimRequest extends KeyClaim {
  /** Identifies the request. Another request with the same key is refused. */
  readonly fingerprint: Buffer
  /** The fingerprint that the previous version of the gateway makes of the same request, if it differs. */
  readonly lastFingerprint?: Buffer
  /** Time in ms after which another gateway may take over a claim that is not renewed. */
  readonly leaseMs: number
  /** Age in ms from which a key counts as absent. */
  readonly retentionMs: number
  /** Maximum bytes that the keys of the account may use, including this one. */
  readonly maxBytes: number
  /** False if the request must not be tried again after its gateway died. */
  readonly isRepeatable: boolean
}

/**
 * `other`: the key belongs to another request. `held`: a living gateway is running the request. `cut off`: the first
 * attempt ended without an answer and must not be repeated. `full`: the key is new, and the account's keys are at their
 * limit.
 */
export type KeyClaimResult =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'answered'; readonly answer: Buffer }
  | { readonly kind: 'other' }
  | { readonly kind: 'held' }
  | { readonly kind: 'cut off' }
  | { readonly kind: 'full' }
