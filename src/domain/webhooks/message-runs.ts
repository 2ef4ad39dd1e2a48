import { hash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RostrumError } from '../../errors.ts'
import { endBefore } from '../idempotency/wait-for-key.ts'
import type { NewQueuedRun } from '../queue/queue-store.ts'
import type { ClaimMessageResult, MessageClaim, WebhookMessageStore } from './message-store.ts'
import type { Webhook } from './webhook-store.ts'

/** How long an accepted message is not run again (contract, section 8). */
export const messageRetentionMs = 24 * 60 * 60 * 1_000
// A message of a gateway that died is free after this time.
const holdMs = 15_000
const renewEveryMs = 4_000
const lookEveryMs = 75
const maxWaitMs = 10_000
// Longer answers are not kept.
const maxAnswerCharacters = 64 * 2 ** 10

/** SHA-256 of the id that a sender gave, in hex. */
function digestMessageId(messageId: string): string {
  return hash('sha256', messageId)
}

export interface MessageRun {
  readonly accountCode: string
  readonly webhookId: number
  readonly messageId: string
  /** Ends the wait for another gateway's run. */
  readonly signal: AbortSignal
}

/** `answer` is empty if it was too long to keep. */
export type MessageResult<Result> =
  | { readonly kind: 'ran'; readonly result: Result }
  | { readonly kind: 'replayed'; readonly answer: string }

/** What became of a run: only with an `answer` the message counts as accepted. */
export interface RanMessage<Result> {
  readonly result: Result
  readonly answer: string | null
}

export interface QueuedDelivery {
  readonly accountCode: string
  readonly webhook: Webhook
  /** Null for a sender that gives none. */
  readonly messageId: string | null
  readonly input: { readonly payload: string; readonly options: string }
  readonly txnId: string
}

export interface MessageRuns {
  /**
   * Runs a message unless it was accepted before. Of several at once, one runs and the others wait up to 10 s for it,
   * at all gateways; then `CONFLICT`. If it was not accepted, the next one runs.
   */
  runOnce<Result>(message: MessageRun, run: () => Promise<RanMessage<Result>>): Promise<MessageResult<Result>>
  /**
   * Queues a run for a message unless it was accepted before. `OVERLOADED` if too many runs of the account wait,
   * `CONFLICT` while the message runs.
   */
  queueOnce(
    delivery: QueuedDelivery,
  ): Promise<{ readonly kind: 'queued' | 'replayed'; readonly answer: string }>
}

export function createMessageRuns(store: WebhookMessageStore): MessageRuns {
  const holder = randomUUID()
  // Ends of the runs of this gateway, by message.
  const running = new Map<string, Promise<void>>()

  async function claimBefore(signal: AbortSignal, claim: MessageClaim): Promise<ClaimMessageResult> {
    for (;;) {
      const result = await store.claim(claim, holdMs, messageRetentionMs)
      if (result.kind !== 'held') return result
      await sleep(lookEveryMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  async function runClaimed<Result>(
    claim: MessageClaim,
    run: () => Promise<RanMessage<Result>>,
  ): Promise<Result> {
    const renewing = setInterval(() => store.renew(claim, holdMs).catch(() => {}), renewEveryMs).unref()
    let isAccepted = false
    try {
      const { result, answer } = await run()
      if (answer !== null) {
        await store.accept(claim, answer.length <= maxAnswerCharacters ? answer : '')
        isAccepted = true
      }
      return result
    } finally {
      clearInterval(renewing)
      // If that fails, the claim ends by itself.
      if (!isAccepted) await store.release(claim).catch(() => {})
    }
  }

  return {
    async runOnce({ accountCode, webhookId, messageId, signal }, run) {
      const claim = { accountCode, webhookId, digest: digestMessageId(messageId), holder }
      const id = JSON.stringify([accountCode, webhookId, claim.digest])
      const late = AbortSignal.timeout(maxWaitMs)
      const waiting = AbortSignal.any([signal, late])
      try {
        for (let ended = running.get(id); ended !== undefined; ended = running.get(id)) {
          await endBefore(waiting, ended)
        }
        const { promise, resolve } = Promise.withResolvers<void>()
        running.set(id, promise)
        try {
          const claimed = await claimBefore(waiting, claim)
          if (claimed.kind === 'accepted') return { kind: 'replayed', answer: claimed.answer }
          return { kind: 'ran', result: await runClaimed(claim, run) }
        } finally {
          running.delete(id)
          resolve()
        }
      } catch (error) {
        throw error === late.reason ? stillRunning() : error
      }
    },

    async queueOnce({ accountCode, webhook, messageId, input, txnId }) {
      const claim = { accountCode, webhookId: webhook.id, digest: digestMessageId(messageId ?? ''), holder }
      const result = await store.queue(
        {
          origin: { accountCode, userId: null, email: null, transactionId: txnId, step: null },
          message: messageId === null ? null : claim,
          run: toQueuedRun(webhook, input, txnId),
          writeAnswer: id => JSON.stringify({ queued_run: { id: String(id) } }),
        },
        messageRetentionMs,
      )
      if (result.kind === 'held') throw stillRunning()
      return { kind: result.kind === 'queued' ? 'queued' : 'replayed', answer: result.answer }
    },
  }
}

const nobody = { userId: null, subject: null, email: null, displayName: null }

function toQueuedRun(
  { id, name, functionId, scopes }: Webhook,
  { payload, options }: QueuedDelivery['input'],
  txnId: string,
): NewQueuedRun {
  return {
    trigger: 'webhook',
    event: null,
    hookId: null,
    webhookId: id,
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

function stillRunning(): RostrumError {
  return new RostrumError('CONFLICT', 'This message is still running. Try again in 1 s.', {
    retryAfterSeconds: 1,
  })
}
