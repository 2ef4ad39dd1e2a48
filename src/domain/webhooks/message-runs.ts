import { randomUUID } from 'node:crypto'
import type { SpanParent } from '../../tracing/span.ts'
import { traceStore } from '../../tracing/trace-store.ts'
import type { IdempotencyStore, KeyClaimRequest } from '../idempotency/idempotency.ts'
import { createClaimRefusals } from '../idempotency/key-refusals.ts'
import { createKeyedRequests, retentionMs } from '../idempotency/keyed-requests.ts'
import { toMessageKey } from '../idempotency/stored-key.ts'
import type { NewQueuedRun } from '../queue/queue-store.ts'
import { type DeliveryInput, nobody } from './run-delivery.ts'
import type { Webhook, WebhookStore } from './webhook-store.ts'

// Maximum bytes of a stored answer. Longer answers are stored without their body.
const maxAnswerBytes = 64 * 2 ** 10
// Stands for an answer that was too long to store. JSON is never a single space.
const withoutBody = Buffer.from(' ')
// All messages have one fingerprint: only the id counts, and a sender may change the text.
const fingerprint = Buffer.from('message')

// Two requests with one message id are the same message, so no refusal mentions another request.
const messageRefusals = createClaimRefusals({
  lost: 'This message took so long that another gateway took it over. Send it again.',
  unkept: 'The message ran, but its result could not be stored. If you send it again, it runs again.',
  stillRunning: 'This message is still running. Try again in 1 s.',
  full: maxBytes =>
    `The messages and idempotency keys of the last 24 hours hold ${maxBytes} bytes in this account, the maximum, ` +
    'so a new message cannot be kept. Nothing was run. Try again in 60 s.',
})

export interface MessageRun {
  readonly accountCode: string
  readonly webhookId: number
  readonly messageId: string
  /** The span of the delivery; null if no traces are sent. */
  readonly span: SpanParent | null
  /** Ends the wait for another gateway's run. */
  readonly signal: AbortSignal
}

/** `answer` is empty if it was too long to keep. */
export type MessageResult<Result> =
  | { readonly kind: 'ran'; readonly result: Result }
  | { readonly kind: 'replayed'; readonly answer: string }

/** The result of a run. The message counts as accepted only if there is an `answer`. */
export interface RanMessage<Result> {
  readonly result: Result
  readonly answer: string | null
}

export interface QueuedDelivery {
  readonly accountCode: string
  readonly webhook: Webhook
  /** Null if the sender sends no message id. */
  readonly messageId: string | null
  readonly input: DeliveryInput
  readonly txnId: string
  /** The span of the delivery; null if no traces are sent. */
  readonly span: SpanParent | null
}

/**
 * Messages are stored like idempotency keys (contract, section 8), and count toward the same bytes of the account. A
 * part of these bytes is left to the keys of callers: past it a new message is `OVERLOADED` before it runs.
 */
export interface MessageRuns {
  /**
   * Runs a message unless it was accepted before. If the same message arrives several times at once, at any gateway,
   * one runs and the others wait up to 10 s for it, then fail with `CONFLICT`. If the message was not accepted, the
   * next one runs.
   */
  runOnce<Result>(message: MessageRun, run: () => Promise<RanMessage<Result>>): Promise<MessageResult<Result>>
  /**
   * Queues a run for a message unless it was accepted before. `OVERLOADED` also if too many runs of the account wait,
   * `CONFLICT` while the message runs.
   */
  queueOnce(
    delivery: QueuedDelivery,
  ): Promise<{ readonly kind: 'queued' | 'replayed'; readonly answer: string }>
}

interface Dependencies {
  readonly idempotency: IdempotencyStore
  readonly webhooks: Pick<WebhookStore, 'queueMessage'>
  /** Maximum bytes of the keys and messages of one account. */
  readonly accountBytes: number
}

export function createMessageRuns({ idempotency, webhooks, accountBytes }: Dependencies): MessageRuns {
  const holder = randomUUID()
  // A flood of messages leaves a quarter to the keys of callers, and large answers leave a quarter to new messages.
  const maxBytes = Math.floor((accountBytes * 3) / 4)
  const answersBytes = Math.floor(accountBytes / 2)
  const limits = { accountBytes: maxBytes, answersBytes, answerBytes: maxAnswerBytes }
  const messages = createKeyedRequests(idempotency, limits, messageRefusals)

  return {
    async runOnce({ accountCode, webhookId, messageId, span, signal }, run) {
      const key = toMessageKey(webhookId, messageId)
      const beginWaiting = () => signal
      const message = { accountCode, key, fingerprint, isRepeatable: true, span, beginWaiting }
      const begun = await messages.begin(message)
      if (begun.kind === 'answered') return { kind: 'replayed', answer: begun.answer.toString().trim() }
      const { result, answer } = await run().catch(async error => {
        await begun.release('undone')
        throw error
      })
      if (answer === null) await begun.release('undone')
      else await begun.storeAnswer({ whole: Buffer.from(answer), withoutBody })
      return { kind: 'ran', result }
    },

    async queueOnce({ accountCode, webhook, messageId, input, txnId, span }) {
      const message: KeyClaimRequest | null =
        messageId === null
          ? null
          : {
              accountCode,
              key: toMessageKey(webhook.id, messageId),
              holder,
              fingerprint,
              leaseMs: 0,
              retentionMs,
              maxBytes,
              isRepeatable: true,
            }
      // The message may still run from when the webhook was `SYNC`. The store of a single gateway counts no claim as
      // held, so only this process knows.
      if (message !== null && messages.isRunning(message)) throw messageRefusals.stillRunning()
      const result = await traceStore(webhooks, span).queueMessage({
        origin: { accountCode, userId: null, email: null, transactionId: txnId, step: null },
        message,
        run: toQueuedRun(webhook, input, txnId),
        writeAnswer: id => JSON.stringify({ queued_run: { id: String(id) } }),
      })
      switch (result.kind) {
        case 'held':
          throw messageRefusals.stillRunning()
        case 'full':
          throw messageRefusals.full(maxBytes)
        default:
          return { kind: result.kind, answer: result.answer.trim() }
      }
    },
  }
}

function toQueuedRun(
  { id, name, functionId, scopes }: Webhook,
  { payload, options }: DeliveryInput,
  txnId: string,
): NewQueuedRun {
  return {
    trigger: 'webhook',
    event: null,
    triggerId: id,
    functionId,
    name,
    caseTypeCode: null,
    caseId: null,
    caseVersion: null,
    txnId,
    generation: 0,
    causedBy: nobody,
    scopes,
    input: payload,
    options,
  }
}
