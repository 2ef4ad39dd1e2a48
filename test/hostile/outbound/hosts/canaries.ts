import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createNetServer, type Server, type Socket } from 'node:net'
import {
  createSecureContext,
  createServer as createTlsServer,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import type { Certificate } from '../namespace/certificates.ts'

export interface SeenRequest {
  /** Address and port that it came to. */
  readonly at: string
  readonly line: string
  readonly headers: readonly string[]
  readonly sni: string | null
  readonly alpn: string | null
}

export interface Canaries {
  /** Address and port of each connection so far. */
  readonly connections: readonly string[]
  readonly requests: readonly SeenRequest[]
  close(): void
}

export interface CanaryPorts {
  readonly http: readonly number[]
  /** By the port, a certificate by the name that the client gives, and for `*` that for all others. */
  readonly https: Readonly<Record<number, Readonly<Record<string, Certificate>>>>
}

/** Servers on every address, which see every connection. */
export async function startCanaries({ http, https }: CanaryPorts, redirectTo: string): Promise<Canaries> {
  const connections: string[] = []
  const requests: SeenRequest[] = []
  const open = new Set<Socket>()
  const web = createServer((request, response) => {
    requests.push(seenOf(request))
    request.resume().on('end', () => respond(request, response, redirectTo))
  })
  const servers: Server[] = []

  async function listen(port: number, pass: (socket: Socket) => void): Promise<void> {
    const server = createNetServer(socket => {
      connections.push(placeOf(socket))
      open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)))
      pass(socket)
    })
    servers.push(server)
    await new Promise<void>(resolve => server.listen(port, '::', resolve))
  }

  for (const port of http) await listen(port, socket => web.emit('connection', socket))
  for (const [port, certificates] of Object.entries(https)) {
    const contexts = new Map<string, SecureContext>(
      Object.entries(certificates).map(([name, pair]) => [name, createSecureContext(pair)]),
    )
    const secure = createTlsServer({
      ...certificates['*'],
      ALPNProtocols: ['h2', 'http/1.1'],
      SNICallback: (name, done) => done(null, contexts.get(name) ?? contexts.get('*')),
    })
    secure
      .on('tlsClientError', () => undefined)
      .on('secureConnection', socket => web.emit('connection', socket))
    await listen(Number(port), socket => secure.emit('connection', socket))
  }
  return {
    connections,
    requests,
    close() {
      for (const server of servers) server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

function placeOf({ localAddress = '', localPort }: Pick<Socket, 'localAddress' | 'localPort'>): string {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  return address.includes(':') ? `[${address}]:${localPort}` : `${address}:${localPort}`
}

function seenOf({ method, url, rawHeaders, socket }: IncomingMessage): SeenRequest {
  const { servername, alpnProtocol } = socket as TLSSocket & { servername?: string | false }
  return {
    at: placeOf(socket),
    line: `${method} ${url}`,
    headers: rawHeaders.filter((_, index) => index % 2 === 0),
    sni: servername || null,
    alpn: alpnProtocol || null,
  }
}

function respond(request: IncomingMessage, response: ServerResponse, redirectTo: string): void {
  const { url = '', socket, headers } = request
  const json = { 'content-type': 'application/json' }
  if (url === '/redirect-to-loopback') response.writeHead(302, { location: `http://${redirectTo}/` }).end()
  else if (url === '/redirect-307-other-origin')
    response.writeHead(307, { location: 'http://other.test/' }).end()
  else if (url === '/redirect-same') response.writeHead(308, { location: '/' }).end()
  else if (url === '/not-json') response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello</p>')
  else if (url === '/silent') response.on('error', () => undefined)
  else if (url === '/infinite-body') {
    response.writeHead(200, json)
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  } else
    response.writeHead(200, json).end(JSON.stringify({ data: { at: placeOf(socket), host: headers.host } }))
}
