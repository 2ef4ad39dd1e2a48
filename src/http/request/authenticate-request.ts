import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import type { Authenticate } from '../../credentials/authenticator.ts'
import { digestToken, unknownToken } from '../../credentials/read-bearer.ts'
import { RostrumError } from '../../errors.ts'

/**
 * A hook that reads the credential before the body is read. Nothing else reads the credential. Throws
 * `UNAUTHENTICATED`.
 */
export function createAuthenticationHook(authenticate: Authenticate) {
  return ({ state, headers }: FastifyRequest, _reply: FastifyReply, done: HookDone): void => {
    const found = authenticate(headers.authorization)
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

/** The digest of the credential of a request; null if it has none. */
export function digestCredential({ headers }: IncomingMessage): string | null {
  return headers.authorization === undefined ? null : digestToken(headers.authorization)
}

/** A hook after the body was read. That can take long, so the run may have ended, and its token with it. */
export function refuseEndedRun({ state }: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
  done(state.identity?.run?.signal.aborted ? unknownToken() : undefined)
}

/** A hook that refuses compressed bodies, because one could be a thousand times its size. */
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
