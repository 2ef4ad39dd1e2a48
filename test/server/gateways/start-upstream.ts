import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

export interface UpstreamRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Upstream {
  readonly url: string
  /** As it goes into the allow-list. */
  readonly host: string
  readonly requests: readonly UpstreamRequest[]
  /** Connections so far, whether or not a request came over them. */
  connections(): number
  close(): Promise<void>
}

export type Responder = (request: UpstreamRequest, response: ServerResponse) => unknown

/** A real HTTP server on loopback that stands for another GraphQL endpoint, a key server or a canary. */
export async function startUpstream(respond: Responder): Promise<Upstream> {
  const requests: UpstreamRequest[] = []
  let connections = 0
  const server = createServer((incoming, response) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    incoming.on('end', () => {
      const request = { path: incoming.url ?? '', headers: incoming.headers, body }
      requests.push(request)
      void respond(request, response)
    })
  })
  server.on('connection', () => connections++)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers with JSON and status 200 by default. */
export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The names of all headers that a script's call to another host may bring, sorted. */
export const headersOfCalls = [
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'user-agent',
]
