import type { RostrumError } from '../../errors.ts'
import type { KeyClaimRequest } from '../idempotency/idempotency.ts'
import type { Origin, RowStore } from '../port.ts'
import type { NewQueuedRun } from '../queue/queue-store.ts'
import type { Complete } from '../triggers/complete-trigger.ts'

/** How a delivery shows that it comes from the sender (contract, section 8). */
export type WebhookVerification = 'standard' | 'github' | 'secret'

export type WebhookMode = 'queued' | 'sync'

/** A webhook as its author writes it. */
export interface WebhookInput {
  /** Unique in the account. */
  readonly name: string
  readonly functionId: number
  readonly verification: WebhookVerification
  /** In lower case. The header that holds the secret; null unless `verification` is `secret`. */
  readonly header: string | null
  /** In lower case. The headers of a delivery that the function sees. */
  readonly headers: readonly string[]
  readonly mode: WebhookMode
  /** The rights of its runs. */
  readonly scopes: readonly string[]
  readonly enabled: boolean
}

export interface Webhook extends WebhookInput {
  readonly id: number
}

/** A secret that only a holder of the key can read. */
export interface SealedSecret {
  /** Names the key that sealed it. */
  readonly keyId: string
  readonly sealed: Buffer
}

export interface StoredSecret extends SealedSecret {
  readonly id: number
  /** Null for a secret that stays live. */
  readonly endsAt: Date | null
}

/**
 * Seals the new secret for the place where it is stored. Called inside the transaction, and again if that is repeated.
 */
export type SealSecret = (webhookId: number, secretId: number) => SealedSecret

/** A webhook and its live secrets, for a delivery. The newest secret comes first. */
export interface DeliverableWebhook {
  readonly webhook: Webhook
  readonly secrets: readonly StoredSecret[]
}

export interface SavedWebhook {
  readonly webhook: Webhook
  /** Null if the webhook got no secret. */
  readonly secretId: number | null
}

export interface RotatedSecret {
  readonly webhook: Webhook
  readonly secretId: number
}

export interface Rotation {
  /** How long the earlier secrets stay live; 0 deletes them. */
  readonly overlapMs: number
  readonly seal: SealSecret
  /** Maximum number of secrets. The oldest ones past it are deleted. */
  readonly maxSecrets: number
}

export interface WebhookSave {
  readonly complete: Complete<WebhookInput>
  readonly rotation: Rotation
  /** True if a webhook that exists gets a new secret too. */
  readonly rotates: boolean
  /** Returns why a webhook that exists cannot keep its live secrets. Not called if it gets a new one. */
  readonly checkKept: (before: Webhook, secrets: readonly StoredSecret[]) => RostrumError | null
  readonly maxWebhooks: number
}

export interface QueueMessage {
  readonly origin: Origin
  /** Null if the sender sends no id. */
  readonly message: KeyClaimRequest | null
  readonly run: NewQueuedRun
  readonly writeAnswer: (queuedRunId: number) => string
}

/** `held`: a living gateway runs the message. `full`: it is new, and the account has too many bytes of messages. */
export type QueueMessageResult =
  | { readonly kind: 'queued'; readonly answer: string }
  | { readonly kind: 'replayed'; readonly answer: string }
  | { readonly kind: 'held' }
  | { readonly kind: 'full' }

export interface WebhookStore extends RowStore<Webhook> {
  /**
   * Creates a webhook (null) with its first secret, or changes the one with this id. Rejects with the error of
   * `complete`, `NOT_FOUND`, or `CONFLICT` at the maximum and for the name of another webhook.
   */
  save(origin: Origin, id: number | null, given: WebhookSave): Promise<SavedWebhook>
  /** Adds a secret, unless `check` returns why not. `NOT_FOUND`. */
  rotate(
    origin: Origin,
    id: number,
    rotation: Rotation,
    check: (webhook: Webhook) => RostrumError | null,
  ): Promise<RotatedSecret>
  /** Returns the webhook as it was. Its secrets go with it. `NOT_FOUND`. */
  remove(origin: Origin, id: number): Promise<Webhook>
  /** All webhooks of the account, in ascending id. */
  list(accountCode: string): Promise<Webhook[]>
  /** Null for a name that no webhook has. */
  findByName(accountCode: string, name: string): Promise<DeliverableWebhook | null>
  /**
   * Returns a different number after a change of the store by another process, at the latest in the turn of the event
   * loop after the change. Null if the store cannot know that for less than a look-up.
   */
  changeMark(): number | null
  /** Null for a secret that is not live any more. */
  findSecret(accountCode: string, webhookId: number, secretId: number): Promise<StoredSecret | null>
  /** Returns the ids of the keys that seal the live secrets of all accounts. */
  findKeyIds(): Promise<string[]>
  /** Queues a run and stores its message as accepted, in one transaction. `OVERLOADED` if too many runs wait. */
  queueMessage(given: QueueMessage): Promise<QueueMessageResult>
}
