import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { AccountBudget } from '../../limits/account-budget.ts'

const mebibyte = 2 ** 20

// Of what clients have not taken yet; the buffers of the system hold some megabytes for each connection besides. Requests are
// refused past the first. What was in work by then may come to the second: past that, connections are closed.
const maxBytes = { ofAccount: 32 * mebibyte, ofAccountInAll: 64 * mebibyte, ofGateway: 128 * mebibyte }

// A text this long is copied to bytes at once, out of the heap: writing it would copy it as well.
const longText = 2 ** 16

/** A part of an answer that waits for its client to read. */
export interface UnreadAnswer {
  readonly accountCode: string
  readonly bytes: number
  /** Closes its connection. */
  readonly cut: () => void
}

/**
 * Counts what the clients of each account have not read. Where that is too much for the account or the gateway, the reader that
 * has waited longest is cut: of that account, or of the one that holds most.
 */
export class UnreadAnswers {
  readonly #budget = new AccountBudget(
    { account: maxBytes.ofAccount, total: Number.POSITIVE_INFINITY },
    { describe: bytes => `Answers of ${bytes} bytes that are not read yet`, retryAfterSeconds: 1 },
  )
  // By account, in the order in which they came.
  readonly #unread = new Map<string, Set<UnreadAnswer>>()

  /** `OVERLOADED` while the account has too much to read, before anything is done for it. */
  refuseWhenFull(accountCode: string): void {
    this.#budget.refuseBeyond(accountCode, 1)
  }

  /** Counts an answer until `release` is called with it. */
  hold(answer: UnreadAnswer): void {
    const { accountCode, bytes } = answer
    const ofAccount = this.#unread.get(accountCode)
    if (ofAccount === undefined) this.#unread.set(accountCode, new Set([answer]))
    else ofAccount.add(answer)
    this.#budget.add(accountCode, bytes)
    while (this.#budget.heldBy(accountCode) > maxBytes.ofAccountInAll) this.#cutOldest(accountCode)
    while (this.#budget.total > maxBytes.ofGateway) this.#cutOldest(this.#budget.findLargest() ?? accountCode)
  }

  /** Nothing happens where it was released, or cut, before. */
  release(answer: UnreadAnswer): void {
    const { accountCode, bytes } = answer
    const ofAccount = this.#unread.get(accountCode)
    if (ofAccount === undefined || !ofAccount.delete(answer)) return
    if (ofAccount.size === 0) this.#unread.delete(accountCode)
    this.#budget.release(accountCode, bytes)
  }

  #cutOldest(accountCode: string): void {
    for (const answer of this.#unread.get(accountCode) ?? []) {
      this.release(answer)
      answer.cut()
      return
    }
  }
}

type SendDone = (error: Error | null, payload: unknown) => void

/** The two ends of a request: a hook before anything is done for it, and one before its answer is sent. */
export function createUnreadHooks(unread: UnreadAnswers) {
  return {
    refuseWhenFull({ state: { identity } }: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
      if (identity !== null) unread.refuseWhenFull(identity.caller.accountCode)
      done()
    },

    countAnswer(request: FastifyRequest, _reply: FastifyReply, payload: unknown, done: SendDone): void {
      const { state } = request
      if (state.identity === null) return done(null, payload)
      const sent = typeof payload === 'string' && payload.length > longText ? Buffer.from(payload) : payload
      const bytes = countBytes(sent)
      if (bytes > 0) {
        const { accountCode } = state.identity.caller
        const answer = { accountCode, bytes, cut: () => cutUnread(request, bytes) }
        unread.hold(answer)
        state.atEnd(() => unread.release(answer))
      }
      done(null, sent)
    },
  }
}

// With it go the answers behind this one.
function cutUnread({ state, raw: { socket } }: FastifyRequest, bytes: number): void {
  if (socket.destroyed) return
  state.log.warn({ bytes }, 'an answer was not read in time: its connection is closed to make room')
  socket.destroy()
}

// A stream counts its own.
function countBytes(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  return Buffer.isBuffer(payload) ? payload.length : 0
}
