/** A request as it goes over the wire: every text here is latin-1, a character a byte. */
export interface WireRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Null sends none, nor says how long it is. */
  readonly body: Buffer | null
  readonly chunked?: boolean
}

/** The bytes of a request; those that frame it (`Host`, length, chunks) are added and right. */
export function toBytes({ method, target, headers, body, chunked = false }: WireRequest): Buffer {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: gateway.test',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  if (body !== null) lines.push(chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  if (body === null) return head
  return chunked ? Buffer.concat([head, ...inChunks(body)]) : Buffer.concat([head, body])
}

function inChunks(body: Buffer): Buffer[] {
  const middle = Math.ceil(body.length / 2)
  const chunks = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0)
  return [
    ...chunks.flatMap(chunk => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]
}

/** The value of a header, those of several of the name joined as they are read. */
export function sentHeader({ headers }: WireRequest, wanted: string): string | undefined {
  const values = headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/** For a failing property: what to send again by hand. */
export function showRequest(request: WireRequest): string {
  return toBytes(request).toString('latin1').slice(0, 4_000)
}
