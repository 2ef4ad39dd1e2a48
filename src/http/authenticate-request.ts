import type { FastifyRequest } from 'fastify'
import type { Authenticate } from '../credentials/authenticator.ts'
import { unknownToken } from '../credentials/read-bearer.ts'
import { RostrumError } from '../errors.ts'

/** A hook that runs before the body is read: who asks, or `UNAUTHENTICATED`. The only place that reads the credential. */
export function createAuthenticationHook(authenticate: Authenticate) {
  return async (request: FastifyRequest): Promise<void> => {
    request.scope.identity = await authenticate(request.headers.authorization)
  }
}

/** A hook for when the body is there. It may have come slowly: the run may be over, and its token with it. */
export async function refuseEndedRun(request: FastifyRequest): Promise<void> {
  if (request.scope.identity?.run?.signal.aborted) throw unknownToken()
}

/** Requests are taken as they are: a compressed body could be a thousand times its size. */
export async function refuseEncodedBody(request: FastifyRequest): Promise<void> {
  const encoding = request.headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return
  throw new RostrumError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without a `Content-Encoding`.')
}
