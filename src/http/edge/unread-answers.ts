import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { AccountBudget } from '../../fairness/account-budget.ts'

const mebibyte = 2 ** 20

// Bytes that clients have not read yet; the buffers of the system hold some megabytes more for each connection. Past
// the first limit, requests are refused. Requests in flight may use the second; past that, connections are closed.
const maxBytes = { ofAccount: 32 * mebibyte, ofAccountInAll: 64 * mebibyte, ofGateway: 128 * mebibyte }

// Longer texts are converted to bytes at once, outside the heap. Writing them would copy them as well.
const longText = 2 ** 16
const shortText = 2 ** 10

/** A part of an answer that its client has not read yet. */
export interface UnreadAnswer {
  readonly accountCode: string
  readonly bytes: number
  /** Closes its connection. */
  readonly cut: () => void
}

/**
 * Counts the bytes that the clients of each account have not read. Past the limit of the account or the gateway, it
 * closes the connection of the slowest reader: of that account, or of the account with the most bytes.
 */
export class UnreadAnswers {
  readonly #budget = new AccountBudget(
    { account: maxBytes.ofAccount, total: Number.POSITIVE_INFINITY },
    { describe: bytes => `Answers of ${bytes} bytes that are not read yet`, retryAfterSeconds: 1 },
  )
  // By account, in order of arrival.
  readonly #unread = new Map<string, Set<UnreadAnswer>>()

  /** Throws `OVERLOADED` while the account has too many unread bytes, before any work is done. */
  refuseWhenFull(accountCode: string): void {
    this.#budget.refuseBeyond(accountCode, 1)
  }

  /** Counts an answer until `release` is called with it. */
  add(answer: UnreadAnswer): void {
    const { accountCode, bytes } = answer
    const ofAccount = this.#unread.get(accountCode)
    if (ofAccount === undefined) this.#unread.set(accountCode, new Set([answer]))
    else ofAccount.add(answer)
    this.#budget.add(accountCode, bytes)
    while (this.#budget.reservedBy(accountCode) > maxBytes.ofAccountInAll) this.#cutOldest(accountCode)
    while (this.#budget.total > maxBytes.ofGateway) this.#cutOldest(this.#budget.findLargest() ?? accountCode)
  }

  /** Does nothing if the answer was released or cut before. */
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

/** Two hooks: one refuses a request before any work is done, one counts its answer before it is sent. */
export function createUnreadHooks(unread: UnreadAnswers) {
  return {
    refuseWhenFull({ state: { identity } }: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
      if (identity !== null) unread.refuseWhenFull(identity.caller.accountCode)
      done()
    },

    countAnswer(request: FastifyRequest, _reply: FastifyReply, payload: unknown, done: SendDone): void {
      const { state } = request
      if (state.identity === null || isShort(payload)) return done(null, payload)
      const sent = typeof payload === 'string' && payload.length > longText ? Buffer.from(payload) : payload
      const bytes = countBytes(sent)
      if (bytes > 0) {
        const { accountCode } = state.identity.caller
        const answer = { accountCode, bytes, cut: () => cutUnread(request, bytes) }
        unread.add(answer)
        state.atEnd(() => unread.release(answer))
      }
      done(null, sent)
    },
  }
}

// The later answers on the connection are lost with it.
function cutUnread({ state, raw: { socket } }: FastifyRequest, bytes: number): void {
  if (socket.destroyed) return
  state.log.warn({ bytes }, 'an answer was not read in time; its connection is closed to make room')
  socket.destroy()
}

// A connection has one answer at a time: short ones take less memory than the connection itself, and are not counted.
function isShort(payload: unknown): boolean {
  return typeof payload === 'string' && payload.length < shortText
}

// A stream counts its chunks by itself.
function countBytes(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  return Buffer.isBuffer(payload) ? payload.length : 0
}
