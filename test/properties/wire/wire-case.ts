import fc from 'fast-check'
import type { WireBody } from './wire-bodies.ts'
import { badCredential, type Credential, credential, oddHeaders } from './wire-headers.ts'
import type { WireRequest } from './wire-request.ts'

/** A generated request whose credential is not filled in yet. */
export interface WireCase {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: WireBody
  readonly credential: Credential
  readonly badCredential: string
}

export interface Tokens {
  readonly good: string
  /** Without any scope. */
  readonly idle: string
}

interface CaseParts {
  readonly method: fc.Arbitrary<string>
  readonly target: fc.Arbitrary<string>
  readonly body: fc.Arbitrary<WireBody>
  readonly headers?: fc.Arbitrary<WireCase['headers']>
}

/** Requests of these parts with a credential and headers of all kinds. */
export function wireCases({
  method,
  target,
  body,
  headers = fc.constant([]),
}: CaseParts): fc.Arbitrary<WireCase> {
  return fc
    .record({ method, target, body, own: headers, odd: oddHeaders, credential, badCredential })
    .map(({ own, odd, ...rest }) => ({ ...rest, headers: [...own, ...odd] }))
}

export function toRequest(sample: WireCase, tokens: Tokens): WireRequest {
  const { method, target, headers, body } = sample
  const authorization = authorizationOf(sample, tokens)
  return {
    method,
    target,
    headers: [
      ...(authorization === null ? [] : [['Authorization', authorization] as const]),
      ...(body.contentType === null ? [] : [['Content-Type', body.contentType] as const]),
      ...headers,
    ],
    body: body.bytes,
    chunked: body.chunked,
  }
}

function authorizationOf({ credential: kind, badCredential: bad }: WireCase, tokens: Tokens): string | null {
  if (kind === 'none') return null
  return kind === 'bad' ? bad : `Bearer ${tokens[kind]}`
}
