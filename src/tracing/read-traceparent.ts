/** The span of another program that asks (W3C Trace Context, section 3.2). */
export interface RemoteSpan {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Reads a `traceparent` header. Returns null for one that is not valid. A later version may add fields at the end. */
export function readTraceparent(header: string): RemoteSpan | null {
  const [, version, traceId, spanId, flags, rest] = form.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === '00' && rest !== undefined) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
