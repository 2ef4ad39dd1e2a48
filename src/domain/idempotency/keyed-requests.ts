import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { endBefore } from '../../end-before.ts'
import { RostrumError } from '../../errors.ts'
import type { Claim, ClaimRequest, IdempotencyStore } from './idempotency.ts'
import { type ClaimRefusals, keyRefusals } from './key-refusals.ts'
import { createDeadline, type Deadline } from './wait-for-key.ts'

/** How long the store keeps an answer. */
export const retentionMs = 24 * 60 * 60 * 1000
// Shorter than the longest wait, so that a waiting request can take over the key of a gateway that died.
const leaseMs = 8_000
const renewEachMs = 2_000
const lookEachMs = 75

/** Larger than the largest result and log of a run, so that an ordinary answer is kept whole. */
export const maxAnswerBytes = 4 * 2 ** 20

export interface KeyLimits {
  /** Maximum bytes of the keys of one account. `IdempotencyStore` says what counts. */
  readonly accountBytes: number
  /** A key whose answer would take the account past these bytes keeps the short one. */
  readonly answersBytes: number
  /** Maximum of one answer. */
  readonly answerBytes: number
}

/** Answers may fill three quarters of an account's bytes, so that large ones do not block new keys. */
export function findKeyLimits(accountBytes: number): KeyLimits {
  return { accountBytes, answersBytes: (accountBytes * 3) / 4, answerBytes: maxAnswerBytes }
}

/** An answer to keep, and the shorter one to keep if it is too large. */
export interface AnswerToKeep {
  readonly whole: Buffer
  readonly withoutBody: Buffer
}

/** A request that came with an idempotency key. */
export interface KeyedRequest
  extends Pick<ClaimRequest, 'accountCode' | 'key' | 'fingerprint' | 'lastFingerprint' | 'isRepeatable'> {
  /** Called when the request begins to wait for another one with its key. The signal ends the wait. */
  readonly beginWaiting: () => AbortSignal
}

/** The claim of a key. Do the request, then call `storeAnswer` or `release` before the answer is sent. */
export interface Attempt {
  readonly kind: 'attempt'
  /**
   * Keeps the answer without its body if the whole one is larger than `answerBytes` or the account's keys hold too
   * much. Rejects if it cannot keep either. Then the same request can be tried again.
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
   * Returns the kept answer of this key, or an attempt if there is none. Waits up to 10 s for a request that is running
   * under the key. Throws `CONFLICT` if that takes longer, if the key belongs to another request, and if the earlier
   * request was cut off and cannot be repeated. Throws `OVERLOADED` if the key is new and the account is at its limit.
   */
  begin(request: KeyedRequest): Promise<Attempt | Answered>
}

export function createKeyedRequests(
  store: IdempotencyStore,
  { accountBytes, answersBytes, answerBytes }: KeyLimits,
  refusals: ClaimRefusals = keyRefusals,
): KeyedRequests {
  const holder = randomUUID()
  // The requests that run at this gateway. Each returns its answer, or null if the next request may try.
  const running = new Map<string, Promise<Buffer | null>>()

  return {
    async begin(request) {
      const { accountCode, key, fingerprint } = request
      // The fingerprint is part of it, because a request that runs here may still lose its key to another one in the
      // store.
      const id = JSON.stringify([accountCode, key, fingerprint.toString('base64')])
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
  }

  async function claim(id: string, request: KeyedRequest, deadline: Deadline): Promise<Attempt | Answered> {
    const { accountCode, key, beginWaiting: _, ...facts } = request
    const { promise: ended, resolve } = Promise.withResolvers<Buffer | null>()
    const end = (answer: Buffer | null) => {
      running.delete(id)
      resolve(answer)
    }
    running.set(id, ended)
    try {
      const bounds = { leaseMs, retentionMs, maxBytes: accountBytes }
      const claiming = { accountCode, key, ...facts, holder, ...bounds }
      const result = await claimBefore(deadline, claiming)
      if (result.kind === 'claimed') return attempt({ accountCode, key, holder }, end)
      if (result.kind === 'full') throw refusals.full(accountBytes)
      if (result.kind !== 'answered') throw refusals[result.kind]()
      end(result.answer)
      return result
    } catch (error) {
      end(null)
      throw error
    }
  }

  // While another gateway holds the key, only one request of this gateway polls the store. The others wait for it.
  async function claimBefore(deadline: Deadline, claiming: ClaimRequest) {
    for (;;) {
      const result = await store.claim(claiming)
      if (result.kind !== 'held') return result
      const signal = deadline.start()
      await sleep(lookEachMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  /** Returns the answer that was kept, or null if another gateway has taken the claim over. */
  async function keep(claim: Claim, { whole, withoutBody }: AnswerToKeep): Promise<Buffer | null> {
    const isSmall = whole.length <= answerBytes
    const outcome = isSmall ? await store.storeAnswer(claim, whole, answersBytes) : 'full'
    if (outcome === 'kept') return whole
    if (outcome === 'lost') return null
    return (await store.storeAnswer(claim, withoutBody, null)) === 'kept' ? withoutBody : null
  }

  // Replaces the store's message, which says that nothing was changed: the request itself has changed something.
  function refuseUnkept(error: unknown): never {
    throw error instanceof RostrumError ? refusals.unkept(error) : error
  }

  function attempt(claim: Claim, end: (answer: Buffer | null) => void): Attempt {
    const renewing = setInterval(() => store.renew(claim, leaseMs).catch(() => {}), renewEachMs).unref()
    return {
      kind: 'attempt',
      async storeAnswer(answer) {
        let kept: Buffer | null = null
        try {
          kept = await keep(claim, answer).catch(refuseUnkept)
          if (kept === null) throw refusals.lost()
        } finally {
          clearInterval(renewing)
          end(kept)
        }
      },
      async release(outcome) {
        clearInterval(renewing)
        // If this fails, the claim expires and another request takes it over.
        await store.release(claim, outcome).catch(() => {})
        end(null)
      },
    }
  }
}
