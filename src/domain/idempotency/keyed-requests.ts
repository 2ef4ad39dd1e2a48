import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RostrumError } from '../../errors.ts'
import type { Claim, ClaimRequest, IdempotencyStore } from './idempotency.ts'
import { keyRefusals } from './key-refusals.ts'
import { createDeadline, type Deadline, endBefore } from './wait-for-key.ts'

/** How long an answer is given again. */
export const retentionMs = 24 * 60 * 60 * 1000
// A gateway that died is waited for no longer than a caller waits.
const holdMs = 8_000
const renewEachMs = 2_000
const lookEachMs = 75

/** More than the largest result and log of a run take, so that an ordinary answer is kept whole. */
export const maxAnswerBytes = 4 * 2 ** 20
// Answers leave the rest to keys without one: who keeps large answers can go on to use keys.
const answersShare = 3 / 4

export interface KeyLimits {
  /** What the keys of one account may hold (`IdempotencyStore` has what counts). */
  readonly accountBytes: number
}

/** An answer to keep, and what to keep in its place where it is too large. */
export interface AnswerToKeep {
  readonly whole: Buffer
  readonly withoutBody: Buffer
}

/** A request that came with an idempotency key. */
export interface KeyedRequest
  extends Pick<ClaimRequest, 'accountCode' | 'key' | 'fingerprint' | 'isRepeatable'> {
  /** Called where it begins to wait for another that is at the same key; gives what ends the waiting. */
  readonly beginWaiting: () => AbortSignal
}

/** The request is to be worked on, and one of the two is to be called with what came of it; nothing is sent before. */
export interface Attempt {
  readonly kind: 'attempt'
  /**
   * Keeps the whole answer, or the one without its body where the whole is over `maxAnswerBytes` or the account's keys
   * hold too much. Rejects where neither can be kept, after which the same request may be tried again.
   */
  settle(answer: AnswerToKeep): Promise<void>
  /** What is given back is free for the next one; `IdempotencyStore` has what that means. */
  release(outcome: 'undone' | 'unknown'): Promise<void>
}

export interface Answered {
  readonly kind: 'answered'
  readonly answer: Buffer
}

export interface KeyedRequests {
  /**
   * The answer of the first request of this key, or that this is the first. Waits 10 s for another that is at it;
   * `CONFLICT` where it takes longer, where the key stands for another request, and where the one before was cut off
   * and cannot be repeated; `OVERLOADED` where the key is new and the account's keys hold all they may.
   */
  begin(request: KeyedRequest): Promise<Attempt | Answered>
}

export function createKeyedRequests(store: IdempotencyStore, { accountBytes }: KeyLimits): KeyedRequests {
  const holder = randomUUID()
  // The answer of each, or null where there is none and the next one may try.
  const inWork = new Map<string, Promise<Buffer | null>>()

  return {
    async begin(request) {
      const { accountCode, key, fingerprint } = request
      // Which of two requests the key stands for, the store alone knows: one that is here may be about to be refused.
      const id = JSON.stringify([accountCode, key, fingerprint.toString('base64')])
      const deadline = createDeadline(request.beginWaiting)
      try {
        for (;;) {
          const ended = inWork.get(id)
          if (ended === undefined) return await claim(id, request, deadline)
          const answer = await endBefore(deadline.start(), ended)
          if (answer !== null) return { kind: 'answered', answer }
        }
      } finally {
        deadline.clear()
      }
    },
  }

  async function claim(id: string, request: KeyedRequest, deadline: Deadline): Promise<Attempt | Answered> {
    const { accountCode, key, fingerprint, isRepeatable } = request
    const { promise: ended, resolve } = Promise.withResolvers<Buffer | null>()
    const end = (answer: Buffer | null) => {
      inWork.delete(id)
      resolve(answer)
    }
    inWork.set(id, ended)
    try {
      const limits = { holdMs, retentionMs, maxBytes: accountBytes }
      const claiming = { accountCode, key, fingerprint, isRepeatable, holder, ...limits }
      const result = await claimBefore(deadline, claiming)
      if (result.kind === 'claimed') return attempt({ accountCode, key, holder }, end)
      if (result.kind === 'full') throw keyRefusals.full(accountBytes)
      if (result.kind !== 'answered') throw keyRefusals[result.kind]()
      end(result.answer)
      return result
    } catch (error) {
      end(null)
      throw error
    }
  }

  // Another gateway is asked for from here by one request alone, however many wait.
  async function claimBefore(deadline: Deadline, claiming: ClaimRequest) {
    for (;;) {
      const result = await store.claim(claiming)
      if (result.kind !== 'held') return result
      const signal = deadline.start()
      await sleep(lookEachMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  /** What was kept; null where another has taken the claim over. */
  async function keep(claim: Claim, { whole, withoutBody }: AnswerToKeep): Promise<Buffer | null> {
    const isSmall = whole.length <= maxAnswerBytes
    const outcome = isSmall ? await store.settle(claim, whole, accountBytes * answersShare) : 'full'
    if (outcome === 'kept') return whole
    if (outcome === 'lost') return null
    return (await store.settle(claim, withoutBody, null)) === 'kept' ? withoutBody : null
  }

  function attempt(claim: Claim, end: (answer: Buffer | null) => void): Attempt {
    const renewing = setInterval(() => store.renew(claim, holdMs).catch(() => {}), renewEachMs).unref()
    return {
      kind: 'attempt',
      async settle(answer) {
        let kept: Buffer | null = null
        try {
          kept = await keep(claim, answer).catch(throwUnkept)
          if (kept === null) throw keyRefusals.lost()
        } finally {
          clearInterval(renewing)
          end(kept)
        }
      },
      async release(outcome) {
        clearInterval(renewing)
        // Where that fails, it is taken over in time.
        await store.release(claim, outcome).catch(() => {})
        end(null)
      },
    }
  }
}

// That the store changed nothing is true of the answer alone, and would be taken as said of the request.
function throwUnkept(error: unknown): never {
  throw error instanceof RostrumError ? keyRefusals.unkept(error) : error
}
