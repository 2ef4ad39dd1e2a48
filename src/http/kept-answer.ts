/** An answer as it is kept for those who ask again. */
export interface KeptAnswer {
  readonly status: number
  /** Those that say something of the body or of the row. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export const keptHeaders = ['content-type', 'etag', 'location'] as const

// A line of JSON, and after it the body as it is: JSON has its line breaks escaped.
const lineBreak = 10

export function encodeAnswer({ status, headers, body }: KeptAnswer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ status, headers })}\n`), body])
}

export function decodeAnswer(kept: Buffer): KeptAnswer {
  const end = kept.indexOf(lineBreak)
  const head = JSON.parse(kept.toString('utf8', 0, end)) as Omit<KeptAnswer, 'body'>
  return { ...head, body: kept.subarray(end + 1) }
}
