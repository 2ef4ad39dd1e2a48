/** What a key counts for whatever it holds, and each of its steps: about what a row takes with its indexes, for the longest key. */
export const rowBytes = 1024

/**
 * The requests that came with an idempotency key, and what they were answered. All gateways of a store share it. A gateway claims a key
 * before it works on the request, and settles it with the answer before it sends that. The store knows what the keys of each account
 * hold: `rowBytes` for each key and each step, and the bytes of their answers and results.
 */
export interface IdempotencyStore {
  claim(request: ClaimRequest): Promise<ClaimResult>
  /** Holds the claim for so many ms from now; no more than a wish where another has taken it over. */
  renew(claim: Claim, holdMs: number): Promise<void>
  /**
   * Keeps the answer, which is not empty. `full`: with it the account would hold more than `maxBytes` (null: whatever it holds).
   * `lost`: another has taken the claim over. Neither keeps anything.
   */
  settle(claim: Claim, answer: Buffer, maxBytes: number | null): Promise<'kept' | 'full' | 'lost'>
  /**
   * Gives the claim back without an answer. `undone`: the key is as if it had never been used, save for the steps that it made.
   * `unknown`: the same request may be tried again under it, unless it can only be tried once.
   */
  release(claim: Claim, outcome: 'undone' | 'unknown'): Promise<void>
  /**
   * Forgets some of the keys that were first claimed longer ago than this, at most `maxKeys`, with their steps. Gives how many it
   * forgot: 0 once there are none.
   */
  forgetOlderThan(ageMs: number, maxKeys: number): Promise<number>
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
  /** What the keys of the account may hold, this one included. */
  readonly maxBytes: number
  /** False where the request must not be tried again once its gateway has died over it. */
  readonly isRepeatable: boolean
}

/**
 * `other`: the key stands for another request. `held`: one at a living gateway is at it. `cut off`: the attempt before came to no answer,
 * and there is to be no second one. `full`: it would be a new key, and the account's keys hold all they may.
 */
export type ClaimResult =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'answered'; readonly answer: Buffer }
  | { readonly kind: 'other' }
  | { readonly kind: 'held' }
  | { readonly kind: 'cut off' }
  | { readonly kind: 'full' }
