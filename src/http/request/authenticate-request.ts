import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import type { Identity } from '../../context.ts'
import type { Authenticate } from '../../credentials/authenticator.ts'
import { digestToken, unknownToken } from '../../credentials/read-bearer.ts'
import { RostrumError } from '../../errors.ts'

/** Counts a request of a good credential. Throws `OVERLOADED` past its limit. */
export type CountRate = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Creates a hook that reads the credential before the body is read. Nothing else reads the credential. The hook throws
 * `UNAUTHENTICATED`, and `OVERLOADED` for a credential past its rate limit.
 */
export function createAuthenticationHook(authenticate: Authenticate, countRate: CountRate | null = null) {
  return (request: FastifyRequest, reply: FastifyReply, done: HookDone): void => {
    const { state, headers } = request
    const accept = (identity: Identity): void => {
      state.identity = identity
      countRate?.(request, reply)
    }
    const found = authenticate(headers.authorization, state.span)
    if (!(found instanceof Promise)) {
      accept(found)
      return done()
    }
    found.then(accept).then(() => done(), done)
  }
}

/**
 * Counts a request without a route if its credential is good, and resolves. Rejects with `OVERLOADED` past its limit.
 */
export async function countUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, countRate }: { readonly authenticate: Authenticate; readonly countRate: CountRate },
): Promise<void> {
  const { state, headers } = request
  try {
    state.identity = await authenticate(headers.authorization, state.span)
  } catch {
    // The path is unknown whatever the credential is.
    return
  }
  countRate(request, reply)
}

/** Returns the digest of a request's credential; null if it has none. */
export function digestCredential({ headers }: IncomingMessage): string | null {
  return headers.authorization === undefined ? null : digestToken(headers.authorization)
}

/**
 * Refuses a request of a run that has ended. This hook runs after the body was read, which can take long enough for the
 * run and its token to end.
 */
export function refuseEndedRun({ state }: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
  done(state.identity?.run?.signal.aborted ? unknownToken() : undefined)
}

/**
 * Refuses compressed bodies, since a decompressed body could be a thousand times as large. The body of a GET or HEAD
 * request is not read, whatever it is.
 */
export function refuseEncodedBody(request: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') refuseEncoding(request)
  done()
}

/** Throws `UNSUPPORTED_MEDIA_TYPE` for a request with a compressed body. */
export function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw new RostrumError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a `Content-Encoding`.')
}
