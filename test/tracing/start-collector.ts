import { createServer } from 'node:http'

export interface ReceivedSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly attributes: Readonly<Record<string, string | number>>
  readonly events: readonly { readonly name: string; readonly attributes: object }[]
  readonly isError: boolean
  readonly resource: Readonly<Record<string, string | number>>
}

export interface Export {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** A collector that takes OTLP over HTTP. */
export interface Collector {
  readonly url: string
  readonly exports: readonly Export[]
  /** All spans that came as JSON. */
  spans(): ReceivedSpan[]
  close(): Promise<void>
}

interface Answering {
  /** True takes exports and never answers. */
  readonly isSilent?: boolean
  readonly answer?: string | Uint8Array
}

/** An answer of protobuf. Its field 1 is what was rejected: 5 spans, because they are too old. */
export const rejectedSpans = Uint8Array.of(0x0a, 11, 0x08, 5, 0x12, 7, ...Buffer.from('too old'))

/** Starts a collector. */
export async function startCollector({
  isSilent = false,
  answer = '{}',
}: Answering = {}): Promise<Collector> {
  const exports: Export[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    exports.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) })
    if (!isSilent) response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    exports,
    spans: () => exports.flatMap(({ body }) => readSpans(JSON.parse(body.toString()))),
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

interface JsonValue {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
}

type Pairs = readonly { readonly key: string; readonly value: JsonValue }[]

interface JsonSpan {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: Pairs
  readonly events?: readonly { readonly name: string; readonly attributes: Pairs }[]
  readonly status?: { readonly code?: number }
}

interface JsonExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Pairs }
    readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[]
  }[]
}

function readSpans({ resourceSpans }: JsonExport): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, kind, traceId, spanId, parentSpanId, attributes, events = [], status }) => ({
        name,
        kind,
        traceId,
        spanId,
        parentSpanId: parentSpanId || null,
        attributes: readPairs(attributes),
        events: events.map(event => ({ name: event.name, attributes: readPairs(event.attributes) })),
        isError: status?.code === 2,
        resource: readPairs(resource.attributes),
      })),
    ),
  )
}

function readPairs(pairs: Pairs) {
  return Object.fromEntries(
    pairs.map(({ key, value }) => [
      key,
      value.stringValue ?? value.doubleValue ?? Number(value.intValue ?? Number.NaN),
    ]),
  )
}
