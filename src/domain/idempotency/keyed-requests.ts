import { randomUUID } from 'node:crypto'
import { RostrumError } from '../../errors.ts'
import { endBefore } from '../../signals/end-before.ts'
import { pause } from '../../signals/pause.ts'
import type { SpanParent } from '../../tracing/span.ts'
import { traceStore } from '../../tracing/trace-store.ts'
import type { IdempotencyStore, KeyClaim, KeyClaimRequest } from './idempotency.ts'
import { type ClaimRefusals, keyRefusals } from './key-refusals.ts'
import { createDeadline, type Deadline } from './wait-for-key.ts'

/** How long the store keeps an answer, in ms. */
export const retentionMs = 24 * 60 * 60 * 1000
// Duration of a claim. It is shorter than the longest wait, so that a waiting request can take over the key of a
// gateway that died.
const leaseMs = 8_000
const renewEveryMs = 2_000
const pollEveryMs = 75

/**
 * Maximum bytes of one stored answer. It is more than the largest result and log of a run, so that ordinary answers
 * fit.
 */
const maxAnswerBytes = 4 * 2 ** 20

export interface KeyLimits {
  /** Maximum bytes of the keys of one account. `IdempotencyStore` says what counts. */
  readonly accountBytes: number
  /**
   * Maximum bytes of the account's keys after a whole answer is stored. Past it, the answer is stored without its body.
   */
  readonly answersBytes: number
  /** Maximum bytes of one answer. */
  readonly answerBytes: number
}

/**
 * Returns the limits. Whole answers may fill three quarters of an account's bytes, so that they do not block new keys.
 */
export function findKeyLimits(accountBytes: number): KeyLimits {
  return { accountBytes, answersBytes: Math.floor((accountBytes * 3) / 4), answerBytes: maxAnswerBytes }
}

/** An answer to store, and the shorter form to store if the answer is too large. */
export interface AnswerToKeep {
  readonly whole: Buffer
  readonly withoutBody: Buffer
}

/** A request that came with an idempotency key. */
export interface KeyedRequest
  extends Pick<KeyClaimRequest, 'accountCode' | 'key' | 'fingerprint' | 'lastFingerprint' | 'isRepeatable'> {
  /** The span that asks; null if no traces are sent. */
  readonly span: SpanParent | null
  /** Called when the request begins to wait for another request with its key. The returned signal ends the wait. */
  readonly beginWaiting: () => AbortSignal
}

/** A claimed key. Execute the request, then call `storeAnswer` or `release` before you send the answer. */
export interface Attempt {
  readonly kind: 'attempt'
  /**
   * Stores the answer; without its body if it is larger than `answerBytes` or the account's keys use too much. If
   * neither form can be stored, it rejects, and the same request can be tried again.
   */
  storeAnswer(answer: AnswerToKeep): Promise<void>
  /** Releases the claim without an answer, as `IdempotencyStore.release` does. */
  release(outcome: 'undone' | 'unknown'): Promise<void>
}

export interface Answered {
  readonly kind: 'answered'
  readonly answer: Buffer
}

export interface KeyedRequests {
  /**
   * Claims a key. Returns its stored answer if it has one, otherwise an attempt. If a request is running under the key,
   * waits up to 10 s for its answer. Throws `CONFLICT` if that takes longer, if the key belongs to another request, and
   * if the earlier request was cut off and cannot be repeated. Throws `OVERLOADED` if the key is new and the account is
   * at its limit.
   */
  begin(request: KeyedRequest): Promise<Attempt | Answered>
  /** True while this request claims its key, or runs under it, at this gateway. */
  isRunning(request: RequestId): boolean
}

type RequestId = Pick<KeyedRequest, 'accountCode' | 'key' | 'fingerprint'>

// It includes the fingerprint, because a different request with the same key may get the key in the store.
function idOf({ accountCode, key, fingerprint }: RequestId): string {
  return JSON.stringify([accountCode, key, fingerprint.toString('base64')])
}

export function createKeyedRequests(
  idempotency: IdempotencyStore,
  { accountBytes, answersBytes, answerBytes }: KeyLimits,
  refusals: ClaimRefusals = keyRefusals,
): KeyedRequests {
  const holder = randomUUID()
  // The requests that are running at this gateway, by id. Each promise resolves with the answer, or null if the next
  // request may try.
  const running = new Map<string, Promise<Buffer | null>>()

  return {
    async begin(request) {
      const id = idOf(request)
      const deadline = createDeadline(request.beginWaiting, refusals)
      try {
        for (;;) {
          const ended = running.get(id)
          if (ended === undefined) return await claim(id, request, deadline)
          const answer = await endBefore(ended, { signal: deadline.start() })
          if (answer !== null) return { kind: 'answered', answer }
        }
      } finally {
        deadline.clear()
      }
    },
    isRunning: request => running.has(idOf(request)),
  }

  async function claim(id: string, request: KeyedRequest, deadline: Deadline): Promise<Attempt | Answered> {
    const { accountCode, key, span, beginWaiting: _, ...facts } = request
    const store = traceStore(idempotency, span)
    const { promise: ended, resolve } = Promise.withResolvers<Buffer | null>()
    const end = (answer: Buffer | null) => {
      running.delete(id)
      resolve(answer)
    }
    running.set(id, ended)
    try {
      const bounds = { leaseMs, retentionMs, maxBytes: accountBytes }
      const claiming = { accountCode, key, ...facts, holder, ...bounds }
      const result = await claimBefore(store, deadline, claiming)
      if (result.kind === 'claimed') return attempt(store, { accountCode, key, holder }, end)
      if (result.kind === 'full') throw refusals.full(accountBytes)
      if (result.kind !== 'answered') throw refusals[result.kind]()
      end(result.answer)
      return result
    } catch (error) {
      end(null)
      throw error
    }
  }

  // Claims a key. While another gateway holds it, only one request of this gateway polls the store, and the others wait
  // for that one.
  async function claimBefore(store: IdempotencyStore, deadline: Deadline, claiming: KeyClaimRequest) {
    for (;;) {
      const result = await store.claim(claiming)
      if (result.kind !== 'held') return result
      await pause(pollEveryMs, deadline.start())
    }
  }

  /** Stores an answer. Returns the stored form, or null if another gateway has taken the claim over. */
  async function keep(
    store: IdempotencyStore,
    claim: KeyClaim,
    { whole, withoutBody }: AnswerToKeep,
  ): Promise<Buffer | null> {
    const isSmall = whole.length <= answerBytes
    const outcome = isSmall ? await store.storeAnswer(claim, whole, answersBytes) : 'full'
    if (outcome === 'kept') return whole
    if (outcome === 'lost') return null
    return (await store.storeAnswer(claim, withoutBody, null)) === 'kept' ? withoutBody : null
  }

  // Replaces the store's error, which says that nothing was changed: the request itself has changed something.
  function refuseUnkept(error: unknown): never {
    throw error instanceof RostrumError ? refusals.unkept(error) : error
  }

  function attempt(store: IdempotencyStore, claim: KeyClaim, end: (answer: Buffer | null) => void): Attempt {
    const renewing = setInterval(
      () => idempotency.renew(claim, leaseMs).catch(() => {}),
      renewEveryMs,
    ).unref()
    return {
      kind: 'attempt',
      async storeAnswer(answer) {
        let kept: Buffer | null = null
        try {
          kept = await keep(store, claim, answer).catch(refuseUnkept)
          if (kept === null) throw refusals.lost()
        } finally {
          clearInterval(renewing)
          end(kept)
        }
      },
      async release(outcome) {
        clearInterval(renewing)
        // Ignores a failure here: the claim then expires, and another request takes it over.
        await store.release(claim, outcome).catch(() => {})
        end(null)
      },
    }
  }
}
