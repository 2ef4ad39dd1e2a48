import type { NewQueuedRun } from '../queue/queue-store.ts'
import type { Origin } from '../store.ts'

/** A message of a webhook, by its id. */
export interface WebhookMessage {
  readonly accountCode: string
  readonly webhookId: number
  /** SHA-256 of the id that the sender gave, in hex. */
  readonly digest: string
}

/** A message that a gateway runs. */
export interface MessageClaim extends WebhookMessage {
  /** One per start of a gateway. */
  readonly holder: string
}

/**
 * `accepted`: the message was run, or queued, and is not run again. `held`: a living gateway runs it. `answer` is what
 * its sender got: empty if it was too long to keep.
 */
export type ClaimMessageResult =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'held' }
  | { readonly kind: 'accepted'; readonly answer: string }

export interface QueueMessage {
  readonly origin: Origin
  /** Null for a sender that gives no id. */
  readonly message: MessageClaim | null
  readonly run: NewQueuedRun
  readonly writeAnswer: (queuedRunId: number) => string
}

export type QueueMessageResult =
  | { readonly kind: 'queued'; readonly answer: string }
  | Exclude<ClaimMessageResult, { readonly kind: 'claimed' }>

/** The messages of webhooks, for all gateways of a store. */
export interface WebhookMessageStore {
  /**
   * Claims a message for `holdMs`. One that was accepted before `retentionMs` counts as new, and so does one whose
   * holder did not renew its claim.
   */
  claim(claim: MessageClaim, holdMs: number, retentionMs: number): Promise<ClaimMessageResult>
  /** Holds the claim for `holdMs` from now. Does nothing if another gateway has taken it over. */
  renew(claim: MessageClaim, holdMs: number): Promise<void>
  /** Keeps the message as accepted from now on. False if another gateway has taken the claim over. */
  accept(claim: MessageClaim, answer: string): Promise<boolean>
  /** Queues a run and keeps its message as accepted, in one transaction. `OVERLOADED` if too many runs wait. */
  queue(given: QueueMessage, retentionMs: number): Promise<QueueMessageResult>
  /** Gives the claim back: the message is new again. */
  release(claim: MessageClaim): Promise<void>
  /** Deletes up to `limit` messages that were accepted before this age. Gives their number. */
  forgetOlderThan(ageMs: number, limit: number): Promise<number>
}
