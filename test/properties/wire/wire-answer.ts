/** One HTTP answer, its body decoded from whatever framed it. Names of headers are in lower case. */
export interface WireAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  /** The parsed body, undefined where it is not JSON. */
  readonly json: unknown
}

interface TakenAnswer {
  readonly answer: WireAnswer
  readonly rest: Buffer
}

/**
 * The first whole answer in the bytes, and what follows it; null while it is not complete. An answer without a length
 * lasts until the connection ends. Throws on what is no HTTP.
 */
export function takeAnswer(bytes: Buffer, isHead: boolean, ended: boolean): TakenAnswer | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  if (Number.isNaN(status)) throw new Error(`Not a status line: ${statusLine.slice(0, 200)}`)
  const rest = bytes.subarray(headEnd + 4)
  if (status < 200) return takeAnswer(rest, isHead, ended)
  const headers = new Map(lines.map(line => splitHeader(line)))
  const body = isHead || status === 204 || status === 304 ? noBody(rest) : takeBody(rest, headers, ended)
  if (body === null) return null
  const text = body.bytes.toString('utf8')
  return { answer: { status, headers, text, json: parseJson(text) }, rest: body.rest }
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  if (colon < 1) throw new Error(`Not a header: ${line.slice(0, 200)}`)
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

interface Body {
  readonly bytes: Buffer
  readonly rest: Buffer
}

function noBody(rest: Buffer): Body {
  return { bytes: Buffer.alloc(0), rest }
}

function takeBody(rest: Buffer, headers: ReadonlyMap<string, string>, ended: boolean): Body | null {
  if (headers.get('transfer-encoding') === 'chunked') return takeChunks(rest)
  const length = headers.get('content-length')
  if (length === undefined) return ended ? { bytes: rest, rest: Buffer.alloc(0) } : null
  const size = Number(length)
  return rest.length < size ? null : { bytes: rest.subarray(0, size), rest: rest.subarray(size) }
}

function takeChunks(bytes: Buffer): Body | null {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return null
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + size
    if (bytes.length < end + 2) return null
    if (size === 0) return { bytes: Buffer.concat(chunks), rest: bytes.subarray(end + 2) }
    chunks.push(bytes.subarray(lineEnd + 2, end))
    at = end + 2
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
