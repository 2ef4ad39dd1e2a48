import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import { keyRefusals } from '../../domain/idempotency/key-refusals.ts'
import type { Attempt } from '../../domain/idempotency/keyed-requests.ts'
import { RostrumError } from '../../errors.ts'
import { maskError } from '../../graphql/mask-error.ts'
import { SharedBodies } from '../body/shared-bodies.ts'
import { answerError, prepareFailure } from '../errors/answer-error.ts'
import { isGraphqlUrl } from '../paths.ts'
import type { HttpServices } from '../request/http-services.ts'
import { fingerprintRequest } from './fingerprint-request.ts'
import { judgeAnswer } from './judge-answer.ts'
import { decodeAnswer, encodeAnswer, keptHeaders } from './kept-answer.ts'

/** What a request asks for that is to be done once. */
interface Work {
  /** It may start a run, which is never started again. */
  readonly mayRun: boolean
}

interface KeyedAttempt extends Work {
  readonly attempt: Attempt
}

type Parts = Pick<HttpServices, 'keyedRequests' | 'turns'>

// In memory: twice the bytes that are read without a turn of their own.
const maxHeldAtOnce = 2 ** 17

type SendDone = (error: Error | null, payload: unknown) => void

/**
 * The two ends of a request with an `Idempotency-Key`: a hook behind the reading of the body, which gives a request that was answered
 * before its answer, and one that keeps each answer before its first byte leaves.
 */
export function createIdempotencyHooks({ keyedRequests: { begin }, turns }: Parts) {
  const attempts = new WeakMap<FastifyRequest, KeyedAttempt>()
  const bodies = new SharedBodies()

  /** Gives false where it has answered. */
  async function beginAttempt({ request, reply, work, key }: Beginning): Promise<boolean> {
    const { state } = request
    if (state.identity === null)
      throw new Error('A key is an account’s, and no credential was checked on this path.')
    const { caller } = state.identity
    const fingerprint = fingerprintRequest(request, caller)
    const isLarge = (state.heldBody?.amount ?? 0) > maxHeldAtOnce
    bodies.share(fingerprint, request)
    const begun = await begin({
      accountCode: caller.accountCode,
      key,
      fingerprint,
      isRepeatable: !work.mayRun,
      beginWaiting() {
        // It waits for no sandbox meanwhile.
        state.releaseRunPlace()
        return state.signal
      },
    })
    if (begun.kind === 'answered') {
      sendAgain(request, reply, begun.answer)
      return false
    }
    attempts.set(request, { attempt: begun, ...work })
    state.idempotencyKey = key
    // Keys are claimed together: many large bodies would be worked on one after the other.
    if (isLarge) await turns.wait(caller.accountCode)
    return true
  }

  return {
    /** `findWork` gives null for a request that does nothing: its key means nothing. */
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

    keepAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: SendDone): void {
      const keyed = attempts.get(request)
      if (keyed === undefined) return done(null, payload)
      attempts.delete(request)
      keep({ request, reply, payload, keyed }).then(
        () => done(null, payload),
        error => done(null, prepareUnkept({ request, reply, error })),
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

interface Unkept {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly error: unknown
}

interface Keeping {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly payload: unknown
  readonly keyed: KeyedAttempt
}

async function keep({ request, reply, payload, keyed: { attempt, mayRun } }: Keeping): Promise<void> {
  const body = readBytes(payload)
  if (body === null) return attempt.release('unknown')
  const { statusCode: status } = reply
  const outcome = judgeAnswer({ status, body, isGraphql: isGraphqlUrl(request.url), mayRun })
  if (outcome !== 'final') return attempt.release(outcome)
  const headers = keptHeaders.flatMap(name => {
    const value = reply.getHeader(name)
    return value === undefined ? [] : [[name, String(value)]]
  })
  const answer = { status, headers: Object.fromEntries(headers) }
  await attempt.settle({
    whole: encodeAnswer({ ...answer, body }),
    withoutBody: encodeAnswer({ ...answer, body: null }),
  })
}

// Null for a stream.
function readBytes(payload: unknown): Buffer | null {
  if (payload === undefined || payload === null) return Buffer.alloc(0)
  if (typeof payload === 'string') return Buffer.from(payload)
  return Buffer.isBuffer(payload) ? payload : null
}

// Not sent, since the next one who asks could be answered otherwise.
function prepareUnkept({ request, reply, error }: Unkept): string {
  for (const name of keptHeaders) reply.removeHeader(name)
  return JSON.stringify(prepareFailure({ request, reply, failure: maskError(error, request.state) }))
}

// An answer without its body is told as an error of its own: with its own status it would pass for an answer that lacks what
// was asked, and any status that is not marked as replayed could be taken for a request that was not done.
function sendAgain(request: FastifyRequest, reply: FastifyReply, answer: Buffer): void {
  const { status, headers, body } = decodeAnswer(answer)
  reply.header('idempotency-replayed', 'true')
  if (body === null) {
    const error = keyRefusals.answerNotKept({ status, location: headers.location })
    return void answerError({ request, reply, error })
  }
  reply.code(status).headers(headers)
  reply.send(body.length === 0 ? undefined : body)
}

/** Refuses what would have to be kept while it flows. */
export function refuseStream(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    'A stream cannot be kept under an `Idempotency-Key`: leave one of them out, or accept JSON.',
  )
}

// Visible ASCII. Two headers come joined by a comma, as does a list.
const oneKey = /^[!-+\--~]{1,255}$/

/** The key that an `Idempotency-Key` header holds; `BAD_USER_INPUT` for what is not one key. */
function readIdempotencyKey(header: string | string[]): string {
  if (typeof header === 'string' && oneKey.test(header)) return header
  throw new RostrumError(
    'BAD_USER_INPUT',
    '`Idempotency-Key` must be one key of 1 to 255 visible ASCII characters without a comma, such as a UUID.',
  )
}
