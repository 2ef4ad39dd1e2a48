/** An answer as it is stored for repeated requests. */
export interface StoredAnswer {
  readonly status: number
  /** True for the answer to a refused GraphQL document. Its status depends on its media type. */
  readonly isDocumentRefused: boolean
  /** The stored headers: those about the body or the row. */
  readonly headers: Readonly<Record<string, string>>
  /** The body; null if it was too large to store. */
  readonly body: Buffer | null
}

export const storedHeaders = ['content-type', 'etag', 'location'] as const

// A stored answer is one line of JSON, in which line breaks are escaped, then this byte, then the body unchanged.
const lineBreak = 10

interface Head extends Pick<StoredAnswer, 'status' | 'headers'> {
  readonly isDocumentRefused?: boolean
  readonly isWithoutBody?: boolean
}

export function encodeAnswer({ status, isDocumentRefused, headers, body }: StoredAnswer): Buffer {
  const head: Head = {
    status,
    headers,
    ...(isDocumentRefused && { isDocumentRefused }),
    ...(body === null && { isWithoutBody: true }),
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body ?? Buffer.alloc(0)])
}

export function decodeAnswer(stored: Buffer): StoredAnswer {
  const end = stored.indexOf(lineBreak)
  const head = JSON.parse(stored.toString('utf8', 0, end)) as Head
  const { status, headers, isDocumentRefused = false, isWithoutBody = false } = head
  return { status, isDocumentRefused, headers, body: isWithoutBody ? null : stored.subarray(end + 1) }
}
