import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction as HookDone } from 'fastify'
import type { Authenticate } from '../../credentials/authenticator.ts'
import { digestToken } from '../../credentials/digest-token.ts'
import { unknownToken } from '../../credentials/read-bearer.ts'
import { RostrumError } from '../../errors.ts'

/** A hook that runs before the body is read: who asks, or `UNAUTHENTICATED`. The only place that reads the credential. */
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

/** What a request's credential is known by; null where it has none. */
export function digestCredential({ headers }: IncomingMessage): string | null {
  return headers.authorization === undefined ? null : digestToken(headers.authorization)
}

/** A hook for when the body is there. It may have come slowly: the run may be over, and its token with it. */
export function refuseEndedRun({ state }: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
  done(state.identity?.run?.signal.aborted ? unknownToken() : undefined)
}

/** A hook: requests are taken as they are, since a compressed body could be a thousand times its size. */
export function refuseEncodedBody({ headers }: FastifyRequest, _reply: FastifyReply, done: HookDone): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return done()
  done(new RostrumError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a `Content-Encoding`.'))
}
