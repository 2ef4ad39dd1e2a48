import { sentHeader, type WireRequest } from './wire-request.ts'

// Below the gateway's own limit, so that no request stands right at it.
const maxHeaderBytes = 15_000

/** The status of a request that is refused for its headers, before it matters what it is for; null where it is not. */
export function expectTransport(request: WireRequest): number | null {
  const expectation = sentHeader(request, 'expect')
  if (expectation !== undefined && expectation !== '100-continue') return 417
  const bytes = request.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
  return bytes > maxHeaderBytes ? 431 : null
}

/** Whether the body is said to be compressed, or otherwise not what it is. */
export function isEncoded(request: WireRequest): boolean {
  const encoding = sentHeader(request, 'content-encoding')
  return encoding !== undefined && encoding !== 'identity'
}
