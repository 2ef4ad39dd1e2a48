import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { AccountBudget } from '../../fairness/account-budget.ts'

const mebibyte = 2 ** 20

// Maximum bytes of answers that clients have not read. Past `ofAccount`, new requests of the account are refused.
// Requests in flight may go up to `ofAccountInAll`. Past that, or past `ofGateway`, connections are closed. The
// operating system buffers some megabytes more for each connection.
const maxBytes = { ofAccount: 32 * mebibyte, ofAccountInAll: 64 * mebibyte, ofGateway: 128 * mebibyte }

// Texts longer than this are converted to bytes before they are counted, outside the heap. Writing them would copy them
// anyway.
const longText = 2 ** 16
const shortText = 2 ** 10

/** A part of an answer that the client has not read yet. */
export interface UnreadAnswer {
  readonly accountCode: string
  readonly bytes: number
  /** Closes the connection of the answer. */
  readonly cut: () => void
}

/**
 * Counts the bytes that the clients of each account have not read. Past a limit it closes the connection with the
 * oldest unread answer: of that account, or for the gateway's limit of the account with the most bytes.
 */
export class UnreadAnswers {
  readonly #budget = new AccountBudget(
    { account: maxBytes.ofAccount, total: Number.POSITIVE_INFINITY },
    { describe: bytes => `Answers of ${bytes} bytes that are not read yet`, retryAfterSeconds: 1 },
  )
  // Unread answers by account, in order of arrival.
  readonly #unread = new Map<string, Set<UnreadAnswer>>()

  /** Throws `OVERLOADED` if the account has too many unread bytes. Call it before any work is done. */
  refuseWhenFull(accountCode: string): void {
    this.#budget.refuseBeyond(accountCode, 1)
  }

  /** Counts the bytes of an answer until `release` is called with it. */
  add(answer: UnreadAnswer): void {
    const { accountCode, bytes } = answer
    const ofAccount = this.#unread.get(accountCode)
    if (ofAccount === undefined) this.#unread.set(accountCode, new Set([answer]))
    else ofAccount.add(answer)
    this.#budget.add(accountCode, bytes)
    while (this.#budget.reservedBy(accountCode) > maxBytes.ofAccountInAll) this.#cutOldest(accountCode)
    while (this.#budget.total > maxBytes.ofGateway) this.#cutOldest(this.#budget.findLargest() ?? accountCode)
  }

  /** Stops counting an answer. Does nothing if the answer was released or cut before. */
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

/** Creates two hooks: one refuses a request before any work is done, the other counts its answer before it is sent. */
export function createUnreadHooks(unread: UnreadAnswers) {
  return {
    refuseWhenFull({ state }: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
      unread.refuseWhenFull(state.checkedIdentity.caller.accountCode)
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

// Closes the connection of an unread answer. Later answers on the connection are lost too.
function cutUnread({ state, raw: { socket } }: FastifyRequest, bytes: number): void {
  if (socket.destroyed) return
  state.log.warn({ bytes }, 'an answer was not read in time; its connection is closed to make room')
  socket.destroy()
}

// True for a short answer, which is not counted: a connection has one answer at a time, and a short one takes less
// memory than the connection itself.
function isShort(payload: unknown): boolean {
  return typeof payload === 'string' && payload.length < shortText
}

// Returns the bytes of an answer; 0 for a stream, which counts its chunks itself.
function countBytes(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  return Buffer.isBuffer(payload) ? payload.length : 0
}
