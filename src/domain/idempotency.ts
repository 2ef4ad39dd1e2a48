/**
 * The requests that came with an idempotency key, and what they were answered. All gateways of a store share it. A gateway claims a key
 * before it works on the request, and settles it with the answer before it sends that.
 */
export interface IdempotencyStore {
  claim(request: ClaimRequest): Promise<ClaimResult>
  /** Holds the claim for so many ms from now; no more than a wish where another has taken it over. */
  renew(claim: Claim, holdMs: number): Promise<void>
  /** Keeps the answer, which is not empty. False where another has taken the claim over, and nothing is kept. */
  settle(claim: Claim, answer: Buffer): Promise<boolean>
  /**
   * Gives the claim back without an answer. `undone`: the key is as if it had never been used, save for the steps that it made.
   * `unknown`: the same request may be tried again under it, unless it can only be tried once.
   */
  release(claim: Claim, outcome: 'undone' | 'unknown'): Promise<void>
  /** Forgets at most so many keys that were first claimed longer ago than this, and their steps; gives how many it were. */
  forgetOlderThan(ageMs: number, most: number): Promise<number>
}

export interface Claim {
  readonly accountCode: string
  readonly key: string
  /** The start of a gateway. It claims no key twice at once, so a claim of its own that it finds is one it has lost. */
  readonly holder: string
}

export interface ClaimRequest extends Claim {
  /** Of the request, for which the key stands alone. */
  readonly fingerprint: Buffer
  /** After that long without a renewal another gateway may take it over. */
  readonly holdMs: number
  /** What was claimed longer ago is as if absent. */
  readonly keptMs: number
  /** False where the request must not be tried again once its gateway has died over it. */
  readonly isRepeatable: boolean
}

/**
 * `other`: the key stands for another request. `held`: one at a living gateway is at it. `cut off`: the attempt before came to no answer,
 * and there is to be no second one.
 */
export type ClaimResult =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'answered'; readonly answer: Buffer }
  | { readonly kind: 'other' }
  | { readonly kind: 'held' }
  | { readonly kind: 'cut off' }
