import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { answerNotKept } from '../../domain/idempotency/key-refusals.ts'
import { keyPattern } from '../../domain/idempotency/key-rule.ts'
import type { Attempt } from '../../domain/idempotency/keyed-requests.ts'
import { toCallerKey } from '../../domain/idempotency/stored-key.ts'
import { RostrumError } from '../../errors.ts'
import { maskError } from '../../graphql/mask-error.ts'
import { SharedBodies } from '../body/shared-bodies.ts'
import { answerError, prepareFailure } from '../errors/answer-error.ts'
import { documentRefused, statusFor } from '../errors/graphql-status.ts'
import { isGraphqlUrl } from '../paths.ts'
import type { HttpServices } from '../request/http-services.ts'
import { negotiateAccept } from '../request/negotiate-accept.ts'
import type { RequestState } from '../request/request-state.ts'
import type { Work } from './find-work.ts'
import { fingerprintRequest } from './fingerprint-request.ts'
import { judgeAnswer } from './judge-answer.ts'
import { decodeAnswer, encodeAnswer, type StoredAnswer, storedHeaders } from './stored-answer.ts'

interface KeyedAttempt extends Work {
  readonly attempt: Attempt
  hasRun: boolean
}

type Parts = Pick<HttpServices, 'keyedRequests' | 'turns'>

// Requests with more bytes in memory take another turn after the claim. It is twice the body that is read without a
// turn.
const maxBytesAtOnce = 2 ** 17

type SendDone = (error: Error | null, payload: unknown) => void

/**
 * Creates two hooks for requests with an `Idempotency-Key`. One runs after the body is read and sends the stored answer
 * to a repeated request. The other stores each new answer before its first byte is sent.
 */
export function createIdempotencyHooks({ keyedRequests: { begin }, turns }: Parts) {
  const attempts = new WeakMap<FastifyRequest, KeyedAttempt>()
  const bodies = new SharedBodies()

  /** Claims the key of a request. Resolves with false if the stored answer was sent instead. */
  async function beginAttempt({ request, reply, work, key }: Beginning): Promise<boolean> {
    const { state } = request
    const { caller } = state.checkedIdentity
    const fingerprints = fingerprintRequest(request, caller)
    const isLarge = (state.heldBody?.amount ?? 0) > maxBytesAtOnce
    bodies.share(fingerprints.fingerprint, request)
    const begun = await begin({
      accountCode: caller.accountCode,
      key,
      ...fingerprints,
      isRepeatable: !work.mayRun,
      span: state.span,
      beginWaiting() {
        // Frees the place for a run, which the request does not need while it waits for another request.
        state.releaseRunPlace()
        return state.signal
      },
    })
    if (begun.kind === 'answered') {
      sendAgain(request, reply, begun.answer)
      return false
    }
    const keyed = { attempt: begun, ...work, hasRun: false }
    attempts.set(request, keyed)
    if (work.mayRun) {
      state.follower = {
        onEnded() {
          keyed.hasRun = true
        },
      }
    }
    state.idempotencyKey = key
    // Waits for a turn, because keys are claimed in groups: many large bodies would otherwise be processed without a
    // pause.
    if (isLarge) await turns.wait(caller.accountCode)
    return true
  }

  return {
    /** Creates the first hook. `findWork` returns null for a request that changes nothing, whose key is ignored. */
    createBeginHook: (findWork: (request: FastifyRequest) => Work | null) => {
      return (request: FastifyRequest, reply: FastifyReply, done: HookDone): void => {
        const header = request.headers['idempotency-key']
        const work = header === undefined ? null : findWork(request)
        if (header === undefined || work === null) return done()
        const key = readIdempotencyKey(header)
        beginAttempt({ request, reply, work, key }).then(isBegun => {
          if (isBegun) done()
        }, done)
      }
    },

    storeAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: SendDone): void {
      const keyed = attempts.get(request)
      if (keyed === undefined) return done(null, payload)
      attempts.delete(request)
      storeAnswerOf({ request, reply, payload, keyed }).then(
        () => done(null, payload),
        error => done(null, prepareNotStored({ request, reply, payload, error })),
      )
    },
  }
}

interface Beginning {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly work: Work
  readonly key: string
}

interface NotStored {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly payload: unknown
  readonly error: unknown
}

interface Storing {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly payload: unknown
  readonly keyed: KeyedAttempt
}

async function storeAnswerOf({
  request,
  reply,
  payload,
  keyed: { attempt, mayRun, hasRun },
}: Storing): Promise<void> {
  const body = hideSecrets(readBytes(payload), request.state)
  if (body === null) return attempt.release('unknown')
  const { statusCode: status } = reply
  const outcome = judgeAnswer({ status, body, isGraphql: isGraphqlUrl(request.url), mayRun, hasRun })
  if (outcome !== 'final') return attempt.release(outcome)
  const headers = storedHeaders.flatMap(name => {
    const value = reply.getHeader(name)
    return value === undefined ? [] : [[name, String(value)]]
  })
  const { isDocumentRefused } = request.state
  const answer = { status, isDocumentRefused, headers: Object.fromEntries(headers) }
  await attempt.storeAnswer({
    whole: encodeAnswer({ ...answer, body }),
    withoutBody: encodeAnswer({ ...answer, body: null }),
  })
}

// Replaces secrets in the stored answer by null, because secrets are never stored in clear text. A repeated request
// gets null where the first answer had a secret.
function hideSecrets(body: Buffer | null, { secrets }: RequestState): Buffer | null {
  if (body === null || secrets.length === 0) return body
  return Buffer.from(
    secrets.reduce((text, secret) => text.replaceAll(JSON.stringify(secret), 'null'), body.toString()),
  )
}

// Returns the bytes of an answer; null for a stream.
function readBytes(payload: unknown): Buffer | null {
  if (payload === undefined || payload === null) return Buffer.alloc(0)
  if (typeof payload === 'string') return Buffer.from(payload)
  return Buffer.isBuffer(payload) ? payload : null
}

// Returns the error to send if the answer cannot be stored. The answer itself is not sent, because a repeated request
// could be answered differently. But a secret is shown once, and a repeated request may get null for it. So an answer
// with a secret is sent if the store has failed.
function prepareNotStored({ request, reply, payload, error }: NotStored): unknown {
  const masked = maskError(error, request.state)
  if (request.state.secrets.length > 0 && masked.code === 'UNAVAILABLE') return payload
  for (const name of storedHeaders) reply.removeHeader(name)
  const body = prepareFailure({ request, reply, failure: masked })
  return typeof body === 'string' ? body : JSON.stringify(body)
}

// Sends a stored answer. If its body was too large to store, sends an error of its own: with the original status, the
// answer would look complete.
function sendAgain(request: FastifyRequest, reply: FastifyReply, stored: Buffer): void {
  const answer = decodeAnswer(stored)
  const { status, headers, body } = answer
  reply.header('idempotency-replayed', 'true')
  if (body === null) {
    const error = answerNotKept({ status, location: headers.location })
    return void answerError({ request, reply, error })
  }
  reply.code(status).headers(headers)
  if (isGraphqlUrl(request.url)) negotiateAgain(request, reply, answer)
  reply.send(body.length === 0 ? undefined : body)
}

// Sets the media type that the repeated request accepts, and the status of that type. The type is never null, because a
// request that accepts none has no work to repeat.
function negotiateAgain(
  request: FastifyRequest,
  reply: FastifyReply,
  { isDocumentRefused }: StoredAnswer,
): void {
  const type = negotiateAccept(request.raw).type ?? 'application/json'
  reply.type(`${type}; charset=utf-8`)
  if (isDocumentRefused) reply.code(statusFor(documentRefused, type))
}

/** Returns the refusal of a stream under an idempotency key. A stream cannot be stored. */
export function noStreamWithKey(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    'A stream cannot be stored under an `Idempotency-Key`: leave one of them out, or accept JSON.',
  )
}

/**
 * Reads an `Idempotency-Key` header and returns the key for the store. Throws `BAD_USER_INPUT` if it is not exactly one
 * key.
 */
function readIdempotencyKey(header: string | string[]): string {
  if (typeof header === 'string' && keyPattern.test(header)) return toCallerKey(header)
  throw new RostrumError(
    'BAD_USER_INPUT',
    '`Idempotency-Key` must be one key of 1 to 255 visible ASCII characters without a comma, such as a UUID.',
  )
}
