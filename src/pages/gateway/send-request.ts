import { GatewayError, unreachable } from './gateway-error.ts'

/** A request to the gateway that served this page. */
export interface GatewayRequest {
  readonly token: string
  readonly body: object
  readonly accept: string
  readonly signal: AbortSignal
  /** The `Idempotency-Key`. */
  readonly key?: string
}

/** Posts JSON with the token. Throws a `GatewayError` without an answer, and the signal's reason if it is aborted. */
export async function sendRequest(
  path: string,
  { token, body, accept, signal, key }: GatewayRequest,
): Promise<Response> {
  // A browser sends no other characters in a header, and the gateway takes no spaces.
  if (!/^[\x21-\x7e]*$/.test(token))
    throw new GatewayError('A token has ASCII characters only and no spaces. Copy it without `Bearer`.', {
      code: 'UNAUTHENTICATED',
      status: 0,
    })
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept,
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal } as const
  try {
    return await fetch(path, { ...request, credentials: 'omit', cache: 'no-store' })
  } catch {
    signal.throwIfAborted()
    throw unreachable()
  }
}
