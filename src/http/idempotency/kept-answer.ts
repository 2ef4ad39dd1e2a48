/** An answer as it is kept for those who ask again. */
export interface KeptAnswer {
  readonly status: number
  /** Those that say something of the body or of the row. */
  readonly headers: Readonly<Record<string, string>>
  /** Null where it was too large to keep. */
  readonly body: Buffer | null
}

export const keptHeaders = ['content-type', 'etag', 'location'] as const

// A line of JSON, and after it the body as it is: JSON has its line breaks escaped.
const lineBreak = 10

interface Head extends Omit<KeptAnswer, 'body'> {
  readonly isWithoutBody?: boolean
}

export function encodeAnswer({ status, headers, body }: KeptAnswer): Buffer {
  const head = { status, headers, ...(body === null ? { isWithoutBody: true } : {}) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body ?? Buffer.alloc(0)])
}

export function decodeAnswer(kept: Buffer): KeptAnswer {
  const end = kept.indexOf(lineBreak)
  const { status, headers, isWithoutBody = false } = JSON.parse(kept.toString('utf8', 0, end)) as Head
  return { status, headers, body: isWithoutBody ? null : kept.subarray(end + 1) }
}
