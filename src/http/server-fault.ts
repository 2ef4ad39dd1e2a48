import type { FastifyError, FastifyRequest } from 'fastify'
import { RostrumError } from '../errors.ts'
import { wrongType } from './body/source-parsers.ts'
import { restRoutes } from './rest/rest-routes.ts'

/**
 * Turns an error that Fastify throws about a request (its codes start with `FST_`, or the stream of the body broke)
 * into a `RostrumError`. Other errors pass unchanged.
 */
export function fromServerFault(error: FastifyError, request: FastifyRequest): unknown {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return wrongTypeOn(request)
    case 'FST_ERR_BAD_URL':
      return new RostrumError('BAD_USER_INPUT', 'The path of the URL is not correctly percent-encoded.')
    default:
      if (brokenBody(error)) return new RostrumError('BAD_USER_INPUT', 'The body ended too early.')
      return isFaultOfRequest(error) ? new RostrumError('BAD_USER_INPUT', error.message) : error
  }
}

// Names the types that the path takes.
function wrongTypeOn(request: FastifyRequest): RostrumError {
  const { method, url } = request.routeOptions
  const row = restRoutes.find(({ path, ...row }) => path === url && row.method === method)
  if (row?.bodies === 'sources') return wrongType(request)
  const forms = row?.bodies === 'tasks' ? ' or `application/x-www-form-urlencoded`' : ''
  return new RostrumError(
    'UNSUPPORTED_MEDIA_TYPE',
    `Send the body as \`Content-Type: application/json\`${forms}.`,
  )
}

// True for other Fastify errors about a request. Their messages name methods and headers, and nothing internal.
function isFaultOfRequest({ code, statusCode = 500 }: FastifyError): boolean {
  return typeof code === 'string' && code.startsWith('FST_') && statusCode < 500
}

function brokenBody(error: FastifyError): boolean {
  return error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}
