import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import type { Authenticate } from '../../credentials/authenticator.ts'
import { digestToken, unknownToken } from '../../credentials/read-bearer.ts'
import { RostrumError } from '../../errors.ts'

/**
 * Creates a hook that reads the credential before the body is read. Nothing else reads the credential. The hook throws
 * `UNAUTHENTICATED`.
 */
export function createAuthenticationHook(authenticate: Authenticate) {
  return ({ state, headers }: FastifyRequest, _reply: FastifyReply, done: HookDone): void => {
    const found = authenticate(headers.authorization, state.span)
    if (!(found instanceof Promise)) {
      state.identity = found
      return done()
    }
    found.then(identity => {
      state.identity = identity
      done()
    }, done)
  }
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

/** Refuses compressed bodies. A decompressed body could be a thousand times as large. */
export function refuseEncodedBody(request: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
  refuseEncoding(request)
  done()
}

/** Throws `UNSUPPORTED_MEDIA_TYPE` for a request with a compressed body. */
export function refuseEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return
  throw new RostrumError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a `Content-Encoding`.')
}
