import type { FastifyRequest } from 'fastify'
import { isCredentialHeader } from '../../domain/webhooks/credential-headers.ts'
import type { DeliveryInput } from '../../domain/webhooks/run-delivery.ts'
import type { Webhook } from '../../domain/webhooks/webhook-store.ts'
import { RostrumError } from '../../errors.ts'
import { describeBadJson } from '../../json/describe-bad-json.ts'
import { isJsonType } from '../../json/json-text.ts'
import { maxInputDepth, scanJson } from '../../json/scan-json.ts'
import { parseFields } from '../body/form-body.ts'
import { decodeBody } from '../body/json-body.ts'
import { queryOf } from '../paths.ts'
import { refuseEncoding } from '../request/authenticate-request.ts'
import { readHeader } from './check-delivery.ts'

const maxFields = 1_000

// RFC 9110, section 8.3.1.
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i

/**
 * Reads a delivery whose signature was checked (contract, section 8). Throws `UNSUPPORTED_MEDIA_TYPE` for a compressed
 * body and a bad type, else `BAD_USER_INPUT`.
 */
export function readDelivery(request: FastifyRequest, body: Buffer, webhook: Webhook): DeliveryInput {
  const { method, url } = request
  const type = readContentType(request)
  const query = readParameters(queryOf(url), 'A query')
  const headers: Record<string, string> = Object.create(null)
  for (const name of webhook.headers) {
    const value = readHeader(request, name)
    // One that was saved before its name was refused is left out.
    if (value === undefined || name === webhook.header || isCredentialHeader(name)) continue
    headers[name] = value
  }
  return {
    payload: readPayload(body, type),
    options: JSON.stringify({ params: { method, headers, query } }),
  }
}

function readContentType(request: FastifyRequest): string {
  refuseEncoding(request)
  const type = readHeader(request, 'content-type')?.trim()
  if (type === undefined || mediaType.test(type)) return type ?? ''
  throw new RostrumError('UNSUPPORTED_MEDIA_TYPE', 'The `Content-Type` is not a media type.')
}

/**
 * The payload of a delivery as JSON (contract, section 8): a JSON body as it is, a form as an object, other text as
 * text, an empty body as null. Throws `BAD_USER_INPUT` for a body that is not UTF-8, and for one whose type says JSON
 * and which is none.
 */
function readPayload(body: Buffer, type: string): string {
  if (body.length === 0) return 'null'
  const text = decodeBody(body)
  if (isJsonType(type)) {
    refuseBadJson(text)
    return text
  }
  return JSON.stringify(formType.test(type) ? readParameters(text, 'A form') : text)
}

function refuseBadJson(text: string): void {
  const bytes = Buffer.from(text)
  const { fault, position } = scanJson(bytes, { maxDepth: maxInputDepth })
  if (fault === null) return
  if (fault === 'depth') throw new RostrumError('BAD_USER_INPUT', 'The body is nested too deeply.')
  throw new RostrumError('BAD_USER_INPUT', `The body ${describeBadJson(bytes, position)}.`)
}

/** Parameters by their names; the values of one that occurs several times are a list. */
function readParameters(text: string, what: string): Readonly<Record<string, string | string[]>> {
  return parseFields<string[]>({ text, maxFields, what }, (_name, before, value) => [before, value].flat())
}
